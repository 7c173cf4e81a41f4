import { describe, expect, it } from "vitest";
import { percentText } from "./percent";

describe("a share", () => {
  it("is none or all only if it is", () => {
    expect([0, 0.001, 0.254, 0.999, 1].map(percentText)).toEqual(["0 %", "Under 1 %", "25 %", "Over 99 %", "100 %"]);
  });
});
