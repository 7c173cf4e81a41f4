/** A gateway for tests, in place of `fetch`: answers by method and path, and remembers what it was asked. */
import { vi } from "vitest";

export interface Asked {
  method: string;
  /** Path and query. */
  path: string;
  headers: Headers;
  body: string;
}

export type Answer = Response | ((asked: Asked) => Response | Promise<Response>);

/** An answer with a JSON body. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

/** An answer without a body. */
export function empty(status = 204): Response {
  return new Response(null, { status });
}

/** A refusal (RFC 9457). */
export function refused(status: number, detail: string, extra: object = {}, headers: Record<string, string> = {}) {
  return json({ type: "about:blank", title: "No", status, detail, ...extra }, status, {
    "Content-Type": "application/problem+json",
    ...headers,
  });
}

/**
 * Puts a gateway in the place of `fetch` until the test ends. `routes`: `"GET /api/v1/tokens": answer`, without query;
 * what is not among them is refused with 404.
 */
export function fakeGateway(routes: Record<string, Answer>): { asked: Asked[]; routes: Record<string, Answer> } {
  const asked: Asked[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init);
    const url = new URL(request.url);
    const one: Asked = {
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: request.headers,
      body: await request.text(),
    };
    asked.push(one);
    const answer = routes[`${request.method} ${url.pathname}`];
    if (answer === undefined) return refused(404, `the fake gateway has no ${request.method} ${url.pathname}`);
    return typeof answer === "function" ? answer(one) : answer.clone();
  });
  return { asked, routes };
}
