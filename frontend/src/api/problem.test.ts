import { describe, expect, it } from "vitest";
import { asProblem, Problem, problemOf, UNREACHABLE, unreachable } from "./problem";

function refusal(body: unknown, init: ResponseInit = {}, type = "application/problem+json"): Response {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Response(text, { status: 422, ...init, headers: { "Content-Type": type, ...init.headers } });
}

describe("problemOf", () => {
  it("does not name a parameter of the address", async () => {
    const problem = await problemOf(refusal({ detail: "query.peer: there was no such peer" }, { status: 422 }));
    expect(problem.detail).toBe("There was no such peer.");
  });

  it("turns the detail into a sentence, and keeps the other members", async () => {
    const problem = await problemOf(
      refusal({ type: "about:blank", title: "No", status: 422, detail: "line 2: too long", line: 2, column: 5 }),
    );
    expect(problem).toBeInstanceOf(Error);
    expect(problem.status).toBe(422);
    expect(problem.detail).toBe("Line 2: too long.");
    expect(problem.message).toBe(problem.detail);
    expect(problem.extra).toEqual({ line: 2, column: 5 });
    expect(problem.retryAfterS).toBeNull();
  });

  it("reads how long to wait", async () => {
    const problem = await problemOf(refusal({ detail: "wait" }, { status: 429, headers: { "Retry-After": "25" } }));
    expect(problem.retryAfterS).toBe(25);
  });

  it("takes no date, and nothing odd, for a wait", async () => {
    for (const header of ["Sat, 21 Nov 2026 13:10:05 GMT", "-3", "soon"]) {
      const problem = await problemOf(refusal({ detail: "wait" }, { headers: { "Retry-After": header } }));
      expect(problem.retryAfterS).toBeNull();
    }
  });

  it("shows nothing of a proxy's page", async () => {
    const problem = await problemOf(refusal("<h1>nginx</h1>", { status: 502 }, "text/html"));
    expect(problem.detail).toBe("The gateway is not responding. Try again in a moment.");
  });

  it("accepts a body with a wrong type, or that is not an object", async () => {
    for (const body of ["{", "null", '"no"', "[]"]) {
      const problem = await problemOf(refusal(body, { status: 418 }));
      expect(problem.detail).toBe("The gateway refused the request with status 418 and gave no reason.");
    }
  });
});

describe("asProblem", () => {
  it("keeps a problem unchanged, and hides the text of other errors", () => {
    const problem = new Problem(404, "There is no such thing.");
    expect(asProblem(problem)).toBe(problem);
    const stray = asProblem(new TypeError("x is undefined"));
    expect(stray.detail).not.toContain("undefined");
    expect(stray.cause).toBeInstanceOf(TypeError);
  });
});

it("keeps the cause of an unreachable gateway", () => {
  const cause = new TypeError("Failed to fetch");
  expect(unreachable(cause)).toMatchObject({ status: UNREACHABLE, cause });
});
