import fc from "fast-check";
import { expect, test } from "vitest";
import { Units } from "./code-points";

test("counts as the characters themselves do, both ways", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const units = new Units(text);
      const points = [...text];
      let unit = 0;
      for (let point = 0; point <= points.length; point++) {
        expect(units.of(point)).toBe(unit);
        expect(units.pointOf(unit)).toBe(point);
        unit += points[point]?.length ?? 0;
      }
    }),
  );
});
