// @vitest-environment jsdom
/** What confirms findings is worked out in the page, also in one without Web Crypto: a page by http from elsewhere. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { checkDraft, checkUnsaved, digestOfAll } from "./findings";
import { UNREACHABLE } from "./problem";

test("the digest of several is SHA-256 over theirs, with no help of the browser's", async () => {
  const { subtle } = globalThis.crypto;
  const hex = fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: 64, maxLength: 64 });
  await fc.assert(
    fc.asyncProperty(fc.array(hex, { maxLength: 64 }), async (all) => {
      const digests = all.map((one) => one.join(""));
      const known = await subtle.digest("SHA-256", new TextEncoder().encode(digests.join("")));
      vi.stubGlobal("crypto", {});
      const ours = digestOfAll(digests);
      vi.unstubAllGlobals();
      expect(ours).toBe([...new Uint8Array(known)].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["a saved draft", (signal: AbortSignal) => checkDraft("d1", signal)],
  ["an unsaved text", (signal: AbortSignal) => checkUnsaved("d1", "text", signal)],
])("a check of %s ends when the gateway takes too long, or when the caller ends it", async (_what, check) => {
  const late = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
  // A gateway that never answers.
  vi.spyOn(globalThis, "fetch").mockImplementation(async (request) => {
    const { signal } = request as Request;
    if (!signal.aborted) throw new Error("The request has no timeout");
    throw signal.reason;
  });
  await expect(check(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  late.abort(new DOMException("late", "TimeoutError"));
  await expect(check(new AbortController().signal)).rejects.toMatchObject({
    status: UNREACHABLE,
    cause: { name: "TimeoutError" },
  });
});
