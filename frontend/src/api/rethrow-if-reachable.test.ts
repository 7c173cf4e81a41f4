import { afterEach, expect, test, vi } from "vitest";
import { UNREACHABLE } from "@/api/problem";
import { rethrowIfReachable } from "./rethrow-if-reachable";

afterEach(() => vi.unstubAllGlobals());

const missing = new TypeError("Failed to fetch dynamically imported module: /assets/Page-1.js");

test("an error about renamed code reaches the router, which reloads the app", async () => {
  vi.stubGlobal("fetch", async () => new Response("<!doctype html>"));
  await expect(rethrowIfReachable(missing)).rejects.toBe(missing);
});

test("while the gateway is away it is a problem that can be tried again", async () => {
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("Failed to fetch");
  });
  await expect(rethrowIfReachable(missing)).rejects.toMatchObject({ status: UNREACHABLE });
});

test.each([502, 503, 504])("the same where a proxy answers in its place with %i", async (status) => {
  vi.stubGlobal("fetch", async () => new Response("<h1>nginx</h1>", { status }));
  await expect(rethrowIfReachable(missing)).rejects.toMatchObject({ status });
});
