// @vitest-environment node
import fc from "fast-check";
import { expect, it } from "vitest";
import { bytesOf, faultsOf, numberOf, placeOfBytes, rangesOfBytes } from "./byte-ranges";
import { marked } from "./marks";

it("comes back from an address", () => {
  expect(bytesOf(placeOfBytes({ from: 0, to: 12_000_000_000 }).address)).toEqual({ from: 0, to: 12_000_000_000 });
  expect(bytesOf("page/1")).toBeNull();
});

it("unites ranges that touch or overlap, and covers what they cover", () => {
  const range = fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) + 1 }));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), (ranges) => {
      const united = rangesOfBytes(marked([], ranges.map(placeOfBytes)));
      const covers = (all: readonly { from: number; to: number }[], at: number) =>
        all.some(({ from, to }) => from <= at && at < to);
      for (let at = 0; at < 42; at++) expect(covers(united, at)).toBe(covers(ranges, at));
      for (const [index, one] of united.entries()) expect(one.from).toBeGreaterThan(united[index - 1]?.to ?? -1);
    }),
  );
});

it("takes numbers as people type them", () => {
  expect(numberOf("1,024")).toBe(1024);
  expect(numberOf(" 0x400 ")).toBe(1024);
  for (const none of ["", "-1", "1.5", "ten", "0x", "9".repeat(16)]) expect(numberOf(none)).toBeNull();
});

it("says what is wrong with a range", () => {
  expect(faultsOf("0", "10", 10)).toEqual({ from: null, to: null });
  expect(faultsOf("10", "11", 10)).toEqual({
    from: "The file has bytes 0 to 9.",
    to: "The file ends before byte 10.",
  });
  expect(faultsOf("5", "5", 10).to).toBe("The end must be after the first byte.");
  expect(faultsOf("", "x", 10)).toEqual({
    from: "Enter a whole number, such as 100 or 0x64.",
    to: "Enter a whole number, such as 200 or 0xC8.",
  });
});
