import fc from "fast-check";
import { expect, test } from "vitest";
import { codePoints, indexOfPoint, pointOfIndex, slicePoints, Units } from "./code-points";

test("counts as the characters themselves do, both ways", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const units = new Units(text);
      const points = [...text];
      let unit = 0;
      for (let point = 0; point <= points.length; point++) {
        expect(units.of(point)).toBe(unit);
        expect(units.pointOf(unit)).toBe(point);
        expect(indexOfPoint(text, point)).toBe(unit);
        expect(pointOfIndex(text, unit)).toBe(point);
        if (points[point]?.length === 2) expect(pointOfIndex(text, unit + 1)).toBe(point);
        expect(slicePoints(text, 0, point)).toBe(points.slice(0, point).join(""));
        unit += points[point]?.length ?? 0;
      }
      expect(codePoints(text)).toBe(points.length);
      expect(indexOfPoint(text, Number.POSITIVE_INFINITY)).toBe(text.length);
    }),
  );
});
