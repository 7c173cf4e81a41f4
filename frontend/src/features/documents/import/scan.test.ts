// @vitest-environment node
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MarkupError, NotUtf8, parseBytes } from "@/marked-text/markup";
import { Scanner, scan } from "./scan";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function scanned(bytes: Uint8Array, cuts: readonly number[] = []) {
  const scanner = new Scanner();
  let from = 0;
  for (const cut of [...cuts, bytes.length].map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b)) {
    scanner.feed(bytes.subarray(from, cut));
    from = cut;
  }
  return scanner.close();
}

const marked = fc
  .array(fc.constantFrom("<$S>", "<$E>", "<$$S>", "<$$$E>", "<", "$", "S>", "\n", "a", "é", "𝄞", "\r\n", "\uFEFF"), {
    maxLength: 30,
  })
  .map((parts) => parts.join(""));

describe("a scan", () => {
  it("finds what the parser finds, wherever the pieces are cut", () => {
    fc.assert(
      fc.property(marked, fc.array(fc.nat(90)), (text, cuts) => {
        const bytes = bytesOf(text);
        const found = scanned(bytes, cuts);
        let fault: MarkupError | null = null;
        let spans: number | null = null;
        try {
          spans = parseBytes(bytes).spans.length;
        } catch (error) {
          fault = error as MarkupError;
        }
        expect(found.notUtf8).toBeNull();
        expect(found.fault && `line ${found.fault.line}, column ${found.fault.column}: ${found.fault.reason}`).toBe(
          fault?.message ?? null,
        );
        if (spans !== null) expect(found.spans).toBe(spans);
        expect(found.tags).toBe([...text.matchAll(/<\$[SE]>/g)].length);
        expect(found.escapes).toBe([...text.matchAll(/<\$\$+[SE]>/g)].length);
      }),
    );
  });

  it("reports the first invalid UTF-8, wherever the pieces are cut", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 6 }),
        fc.constantFrom("", "é\n", "one\ntwo 𝄞"),
        fc.array(fc.nat(30)),
        (bad, good, cuts) => {
          const bytes = new Uint8Array([...bytesOf(good), ...bad]);
          let place: { line: number; column: number } | null = null;
          try {
            parseBytes(bytes);
          } catch (error) {
            if (!(error instanceof NotUtf8)) throw error;
            place = { line: error.line, column: error.column };
          }
          const { notUtf8 } = scanned(bytes, cuts);
          expect(notUtf8 && { line: notUtf8.line, column: notUtf8.column }).toEqual(place);
        },
      ),
    );
  });

  it("reads a file to its end and reports progress", async () => {
    const read: number[] = [];
    const file = new Blob(["Meet at <$S>noon<$E>, not at <$S>one<$E>."]);
    const found = await scan(file, new AbortController().signal, (bytes) => read.push(bytes));
    expect(found).toEqual({ notUtf8: null, spans: 2, tags: 4, escapes: 0, fault: null });
    expect(read.at(-1)).toBe(file.size);
  });

  it("stops when it is aborted", async () => {
    const gone = AbortSignal.abort();
    await expect(scan(new Blob(["text"]), gone, () => {})).rejects.toThrow(/abort/i);
  });
});
