/** The one place that talks to the gateway. Every call gives what was asked for or throws a `Problem`. */
import createClient from "openapi-fetch";
import { type Problem, problemOf, unreachable } from "./problem";
import type { paths } from "./schema";

/** Told of every refusal, before it is thrown; what a 401 means is decided by the listener. */
type RefusalListener = (problem: Problem, request: Request) => void;

const listeners = new Set<RefusalListener>();

/** Calls `listener` with every refusal from now on; what is returned ends that. */
export function onRefusal(listener: RefusalListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `await got(api.GET("/api/v1/…"))`, or `const { data, response } = await api.GET(…)` where a header matters. */
export const api = createClient<paths>({
  baseUrl: globalThis.location.origin,
  credentials: "same-origin",
  cache: "no-store",
  fetch: send,
});

/** The answer's body. Never called for a 204, which has none: await that call by itself. */
export async function dataOf<Answer extends { data?: unknown }>(
  call: Promise<Answer>,
): Promise<NonNullable<Answer["data"]>> {
  const { data } = await call;
  return data as NonNullable<Answer["data"]>;
}

/** The revision that an answer is about. */
export function revisionIn(response: Response): number {
  return Number(response.headers.get("ETag")?.replaceAll('"', ""));
}

/** The options that send `body` unchanged: `api.POST("/api/v1/drafts", { params, ...raw(blob) })`. */
export function raw(body: Blob | Uint8Array<ArrayBuffer> | string, type = "application/octet-stream") {
  return {
    // The schema types every such body as a string.
    body: body as string,
    bodySerializer: () => body,
    headers: { "Content-Type": type },
  };
}

/** The header of a change to `revision`: the gateway refuses it (412) if there is a newer one. */
export function ifMatch(revision: number): { "if-match": string } {
  return { "if-match": `"${revision}"` };
}

/** Whether there is an answer at `path`: throws a Problem if not. Takes none of it. */
export async function probe(path: string): Promise<void> {
  const url = new URL(path, globalThis.location.origin);
  const response = await send(new Request(url, { credentials: "same-origin", cache: "no-store" }));
  await response.body?.cancel();
}

const PATIENCE_MS = 20_000;
/** A slow line, and one that is dead: what is saved must not wait for minutes to learn which it is. */
const SLOW_BYTES_PER_MS = 50;

/** The option that gives a call up when `size` bytes take longer than over a slow line, and the gateway's work besides. */
export function timeout(size: number, workMs = 0): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(Math.ceil(PATIENCE_MS + size / SLOW_BYTES_PER_MS + workMs)) };
}

async function send(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await globalThis.fetch(request);
  } catch (error) {
    const { aborted, reason } = request.signal;
    if (aborted && reason?.name !== "TimeoutError") throw error;
    throw unreachable(error);
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  notifyRefusal(problem, request);
  throw problem;
}

/** For `upload.ts`, which cannot use `fetch`: says a refusal to the listener. */
export function notifyRefusal(problem: Problem, request: Request): void {
  for (const listener of listeners) listener(problem, request);
}
