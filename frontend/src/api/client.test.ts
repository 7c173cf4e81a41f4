// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import { empty, fakeGateway, json, refused } from "@/test/fake-gateway";
import { api, dataOf, onRefusal, raw, timeout } from "./client";
import { Problem, UNREACHABLE } from "./problem";

it("gives the body of an answer", async () => {
  fakeGateway({ "GET /api/v1/tokens": json([]) });
  expect(await dataOf(api.GET("/api/v1/tokens"))).toEqual([]);
});

it("throws a refusal as a problem, once every listener knows", async () => {
  fakeGateway({ "GET /api/v1/tokens": refused(401, "sign in first") });
  const heard = vi.fn();
  const stop = onRefusal(heard);
  await expect(dataOf(api.GET("/api/v1/tokens"))).rejects.toMatchObject({ status: 401, detail: "Sign in first." });
  expect(heard).toHaveBeenCalledOnce();
  expect(heard.mock.calls[0]?.[0]).toBeInstanceOf(Problem);
  stop();
  await expect(dataOf(api.GET("/api/v1/tokens"))).rejects.toBeInstanceOf(Problem);
  expect(heard).toHaveBeenCalledOnce();
});

it("reports that the gateway cannot be reached, without calling listeners", async () => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("Failed to fetch"));
  const heard = vi.fn();
  const stop = onRefusal(heard);
  await expect(dataOf(api.GET("/api/v1/tokens"))).rejects.toMatchObject({ status: UNREACHABLE });
  expect(heard).not.toHaveBeenCalled();
  stop();
});

it("leaves a call that was called off as it is", async () => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new DOMException("off", "AbortError"));
  const abort = new AbortController();
  abort.abort();
  await expect(dataOf(api.GET("/api/v1/tokens", { signal: abort.signal }))).rejects.toMatchObject({
    name: "AbortError",
  });
});

it("takes a line on which nothing comes back for one that is down", async () => {
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort(new DOMException("late", "TimeoutError")));
  await expect(dataOf(api.GET("/api/v1/tokens", timeout(10)))).rejects.toMatchObject({ status: 0 });
});

it("sends bytes as they are, beside other headers", async () => {
  const gateway = fakeGateway({ "PUT /api/v1/drafts/d1": json({ id: "d1" }) });
  await dataOf(
    api.PUT("/api/v1/drafts/{draft_id}", {
      params: {
        path: { draft_id: "d1" },
        query: { form: "marked", name: "a b.txt" },
        header: { "if-match": '"3"' },
      },
      ...raw("a <$S>b<$E>\r\n"),
    }),
  );
  const [asked] = gateway.asked;
  expect(asked?.path).toBe("/api/v1/drafts/d1?form=marked&name=a%20b.txt");
  expect(asked?.body).toBe("a <$S>b<$E>\r\n");
  expect(asked?.headers.get("If-Match")).toBe('"3"');
  expect(asked?.headers.get("Content-Type")).toBe("application/octet-stream");
});

it("takes an answer without a body", async () => {
  fakeGateway({ "DELETE /api/v1/session": empty() });
  await expect(api.DELETE("/api/v1/session")).resolves.toBeDefined();
});
