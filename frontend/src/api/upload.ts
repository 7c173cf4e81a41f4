/**
 * Sends a file and reports progress, which `fetch` cannot do. The browser reads the file while it sends it, so the file
 * is never in memory. Refusals are `Problem`s, as everywhere.
 */
import { notifyRefusal } from "./client";
import { problemOf, unreachable } from "./problem";

interface Upload {
  /** An address of this gateway: `/api/v1/…`. */
  url: string;
  body: Blob;
  signal: AbortSignal;
  /** Called with the bytes sent so far; the answer comes after the last one. */
  onProgress: (sent: number, total: number) => void;
}

/**
 * POSTs `body` and resolves with the JSON of the answer.
 *
 * @throws Problem if the gateway refuses or the connection breaks; the signal's reason if it is aborted.
 */
export function upload({ url, body, signal, onProgress }: Upload): Promise<unknown> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
    request.onload = () => resolve(answerOf(request, url));
    request.onerror = () => reject(unreachable(new Error("the connection broke")));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.open("POST", url);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.send(body);
  });
}

async function answerOf(request: XMLHttpRequest, url: string): Promise<unknown> {
  const answer = responseOf(request);
  if (answer.ok) return answer.json();
  const problem = await problemOf(answer);
  notifyRefusal(problem, new Request(new URL(url, globalThis.location.origin), { method: "POST" }));
  throw problem;
}

/** The answer as `fetch` would give it. */
function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  // not a text
  for (const name of ["Content-Type", "Retry-After"]) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(request.responseText || null, { status: request.status, headers });
}
