/** All requests to the gateway. Each resolves with its answer or throws a `Problem`. */
import createClient from "openapi-fetch";
import { type Problem, problemOf, unreachable } from "./problem";
import type { paths } from "./schema";

/** Called with every refusal before it is thrown. */
type RefusalListener = (problem: Problem, request: Request) => void;

const listeners = new Set<RefusalListener>();

/** Calls `listener` with every refusal until the returned function is called. */
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

/** The answer's body. Do not use it for a 204, which has none. */
export async function dataOf<Answer extends { data?: unknown }>(
  call: Promise<Answer>,
): Promise<NonNullable<Answer["data"]>> {
  const { data } = await call;
  return data as NonNullable<Answer["data"]>;
}

/** The revision that an answer names. */
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

/** Requests `path` without reading the answer. Throws a `Problem` if the gateway refuses. */
export async function probe(path: string): Promise<void> {
  const url = new URL(path, globalThis.location.origin);
  const response = await send(new Request(url, { credentials: "same-origin", cache: "no-store" }));
  await response.body?.cancel();
}

const PATIENCE_MS = 20_000;
/** Slower than the slowest usable line, so that a save over a dead line fails within seconds. */
const SLOW_BYTES_PER_MS = 50;

/**
 * The option that aborts a call after the time that `size` bytes take over a slow line, plus the gateway's `workMs`.
 */
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

/** Calls the listeners with a refusal. For `upload.ts`, which cannot use `fetch`. */
export function notifyRefusal(problem: Problem, request: Request): void {
  for (const listener of listeners) listener(problem, request);
}
