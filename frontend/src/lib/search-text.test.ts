import { expect, test } from "vitest";
import { parseSearch, stringifySearch } from "./search-text";

test.each([
  ["", {}],
  ["?share=10&batch=2-4&if=rate-6", { share: "10", batch: "2-4", if: "rate-6" }],
  ["?search=2026&peer=true", { search: "2026", peer: "true" }],
  ["?search=%22a+b%22", { search: '"a b"' }],
])("an address keeps its texts as they are: %s", (address, search) => {
  expect(parseSearch(address)).toEqual(search);
  expect(stringifySearch(search)).toBe(address);
});

test("an address of an earlier version, which quoted numbers, means the same", () => {
  expect(parseSearch("?share=%2210%22&zoom=4_5")).toEqual({ share: "10", zoom: "4_5" });
});

test("what is missing is left out", () => {
  expect(stringifySearch({ share: undefined, peer: "bravo" })).toBe("?peer=bravo");
});
