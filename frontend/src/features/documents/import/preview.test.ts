// @vitest-environment node
import { describe, expect, it } from "vitest";
import { literalPreview, markedPreview, readHead } from "./preview";

describe("a preview", () => {
  it("shows the same head as marked text and as literal text", async () => {
    const head = await readHead(new Blob(["Meet at <$S>noon<$E>; a literal tag is <$$S>."]));
    if (!head) throw new Error("this is UTF-8");
    expect(markedPreview(head)).toEqual({
      segments: [
        { text: "Meet at ", classified: false },
        { text: "noon", classified: true },
        { text: "; a literal tag is <$S>.", classified: false },
      ],
      more: false,
    });
    expect(literalPreview(head).segments).toEqual([
      { text: "Meet at <$S>noon<$E>; a literal tag is <$$S>.", classified: false },
    ]);
  });

  it("ends after eight lines, or in a long line between characters", () => {
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line + 1}`).join("\n");
    const shown = literalPreview({ text: lines, whole: true });
    expect(shown.more).toBe(true);
    expect(shown.segments[0]?.text.split("\n")).toHaveLength(8);
    const long = literalPreview({ text: `x${"𝄞".repeat(900)}`, whole: true });
    expect(long.segments[0]?.text).toBe(`x${"𝄞".repeat(349)}`);
  });

  it("reads only the first lines of a large file, and closes an open span", async () => {
    const head = await readHead(new Blob(["first\n<$S>", "é".repeat(100_000)]));
    expect(head).toEqual({ text: "first\n", whole: false });
    const open = await readHead(new Blob(["<$S>", "é".repeat(100_000)]));
    expect(open?.text).toHaveLength(4 + (65_536 - 4) / 2);
    expect(open && markedPreview(open)?.segments.map(({ classified }) => classified)).toEqual([true]);
  });

  it("is none where the file is no UTF-8, or no marked text", async () => {
    expect(await readHead(new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47])]))).toBeNull();
    expect(markedPreview({ text: "a <$E> b", whole: true })).toBeNull();
  });
});
