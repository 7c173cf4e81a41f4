// @vitest-environment node
import { describe, expect, it } from "vitest";
import { bodyOf, documentBytes, isTooLargeInAnyMode, sizeProblem, suggestedMode } from "./import-mode";
import type { ScanResult } from "./scan";

const scanned = (found: Partial<ScanResult> = {}): ScanResult => ({
  notUtf8: null,
  spans: 0,
  tags: 0,
  escapes: 0,
  fault: null,
  ...found,
});

describe("a reading", () => {
  it("is suggested by tags and kind; what the gateway cannot read is classified as a whole", () => {
    const fault = { line: 1, column: 1, reason: "no" };
    expect(suggestedMode({ scanned: scanned(), kind: "text", damaged: false })).toBe("literal");
    expect(suggestedMode({ scanned: scanned({ tags: 2, spans: 1 }), kind: "text", damaged: false })).toBe("marked");
    expect(suggestedMode({ scanned: scanned({ tags: 1, fault }), kind: "text", damaged: false })).toBeNull();
    expect(suggestedMode({ scanned: scanned({ escapes: 1 }), kind: "csv", damaged: false })).toBe("marked");
    expect(suggestedMode({ scanned: scanned(), kind: "csv", damaged: false })).toBe("file");
    for (const kind of ["docx", "pdf", "bytes"] as const) {
      expect(suggestedMode({ scanned: scanned({ notUtf8: fault, tags: 2 }), kind, damaged: false })).toBe(
        kind === "bytes" ? "whole" : "file",
      );
    }
  });

  it("decides what is sent", async () => {
    const file = new Blob(["été"]);
    expect(bodyOf(file, "marked")).toEqual({ form: "marked", body: file });
    const whole = bodyOf(file, "whole");
    expect(whole.form).toBe("framed");
    expect(await whole.body.text()).toBe("[[0,5]]\nété");
    expect(await bodyOf(new Blob([]), "whole").body.text()).toBe("[]\n");
  });

  it("counts tags as no part of the document, and refuses by its size", () => {
    expect(documentBytes(100, "marked", scanned({ tags: 4, escapes: 1 }))).toBe(83);
    expect(documentBytes(100, "literal", scanned({ tags: 4 }))).toBe(100);
    expect(sizeProblem(100, 100)).toBeNull();
    expect(sizeProblem(2_000_000, 1_500_000)).toMatch(/^This document has 2 MB \(2,000,000 bytes\)\. .* 1\.5 MB/);
    expect(isTooLargeInAnyMode(10_000_001, 1_000_000)).toBe(true);
    expect(isTooLargeInAnyMode(10_000_000, 1_000_000)).toBe(false);
  });
});
