/** `backend/tests/cli/test_sizes.py` reads these cases, too. */
import { expect, it } from "vitest";
import { sizeText, sizeUnit } from "./sizes";

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [44, "44 bytes"],
  [999, "999 bytes"],
  [1000, "1 KB"],
  [41_300, "41.3 KB"],
  [5250, "5.3 KB"],
  [5350, "5.3 KB"],
  [5540, "5.5 KB"],
  [99_960, "100 KB"],
  [999_499, "999 KB"],
  [999_999, "1 MB"],
  [10_000_000, "10 MB"],
  [2_540_000_000, "2.5 GB"],
  [1_234_000_000_000_000, "1,234 TB"],
])("%i is %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

it.each([
  [9, "bytes", 1],
  [41_300, "KB", 1000],
  [999_999, "MB", 1_000_000],
  [1_234_000_000_000_000, "TB", 1e12],
])("%i is in %s", (bytes, name, size) => {
  expect(sizeUnit(bytes)).toEqual({ name, size });
});
