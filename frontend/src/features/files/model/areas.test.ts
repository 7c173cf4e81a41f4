// @vitest-environment node
import fc from "fast-check";
import { expect, it } from "vitest";
import { addressOfArea, areaBetween, areasOf, areaTyped } from "./areas";
import { marked, whole } from "./marks";
import { whereText } from "./place-names";

it("finds the areas of a page among all marks", () => {
  const area = { left: 5, top: 6, right: 70, bottom: 8 };
  const marks = marked([], [whole("page/1"), whole(addressOfArea(2, area)), whole(addressOfArea(12, area))]);
  expect(areasOf(marks, 2)).toEqual([{ address: "page/2/area/5,6-70,8", area }]);
  expect(areasOf(marks, 1)).toEqual([]);
});

it("keeps every area that is drawn within the page, and covers what was drawn", () => {
  const fraction = fc.double({ min: -1, max: 2, noNaN: true });
  const point = fc.record({ x: fraction, y: fraction });
  const side = fc.oneof(fc.integer({ min: 1, max: 9000 }), fc.double({ min: 1, max: 9000, noNaN: true }));
  const size = fc.tuple(side, side);
  fc.assert(
    fc.property(point, point, size, (one, other, [width, height]) => {
      const area = areaBetween(one, other, [width, height]);
      if (!area) return;
      expect(area.left >= 0 && area.top >= 0).toBe(true);
      expect(area.right <= Math.ceil(width) && area.bottom <= Math.ceil(height)).toBe(true);
      const x = Math.min(1, Math.max(0, one.x)) * width;
      expect(area.left <= x && x <= area.right).toBe(true);
      expect(
        areaTyped([area.left, area.top, area.right - area.left, area.bottom - area.top].map(String), [width, height]),
      ).toEqual(area);
    }),
  );
});

it.each([
  [["0", "0", "10", "20"], true],
  [["1", "0", "10", "20"], false],
  [["0", "0", "0", "20"], false],
  [["0", "0", "-1", "20"], false],
  [["", "0", "1", "20"], false],
  [["0", "0", "1"], false],
])("typed numbers %j describe an area of a page of 10 × 20, or little less: %j", (numbers, valid) => {
  expect(areaTyped(numbers, [10, 20]) !== null).toBe(valid);
  expect(areaTyped(numbers, [9.4, 19.7]) !== null).toBe(valid);
});

it("is named by its numbers, and by its page where a file may have several", () => {
  const address = addressOfArea(2, { left: 5, top: 6, right: 70, bottom: 8 });
  expect(whereText("png", address)).toBe("Area 5,6-70,8");
  for (const format of ["tiff", "pdf"] as const) expect(whereText(format, address)).toBe("Area 5,6-70,8 on page 2");
});
