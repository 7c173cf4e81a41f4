import { expect, it } from "vitest";
import { alignedOf } from "./aligned";

it("puts series with different x values into one list, and draws a 0 at the least one", () => {
  const curve = [
    [0, 20],
    [5, 40],
  ] as const;
  expect(alignedOf([curve, [[2, 30, 12]]], 0.1)).toEqual([
    [0.1, 2, 5],
    [20, null, 40],
    [null, 30, null],
  ]);
});
