// @vitest-environment node
import { describe, expect, it } from "vitest";
import { readExcerpt } from "./excerpt";

const excerpt = (text: string, line: number, column: number) =>
  readExcerpt(new Blob([text]), { line, column }, new AbortController().signal);

describe("an excerpt", () => {
  it("is the line of the place, cut there", async () => {
    expect(await excerpt("é first\r\nsecond 𝄞 <$E> line\r\nthird", 2, 10)).toEqual({
      before: "second 𝄞 ",
      after: "<$E> line",
      cutBefore: false,
      cutAfter: false,
    });
  });

  it("of a long line is what is near", async () => {
    const found = await excerpt(`${"é".repeat(5_000)}<$E>${"x".repeat(5_000)}`, 1, 5_001);
    expect(found).toMatchObject({ before: "é".repeat(80), cutBefore: true, cutAfter: true });
    expect(found.after.startsWith("<$E>xxx")).toBe(true);
  });

  it("at the end of the file is its last line", async () => {
    expect(await excerpt("one\ntwo", 2, 9)).toMatchObject({ before: "two", after: "" });
  });
});
