// @vitest-environment node
import { expect, it } from "vitest";
import { isMarked, laidWords, nearestWord, stretchOf } from "./page-layer";
import { pagesOf, pagesText } from "./page-ranges";

const box = { x: 0.1, y: 0.1, w: 0.2, h: 0.02 };

it("gives each word what it says, by code points", () => {
  const words = [
    { start: 6, end: 11, ...box },
    { start: 0, end: 3, ...box },
    { start: 4, end: 5, ...box },
  ];
  expect(laidWords({ text: "Der 𝄞 klang", words }).map(({ text }) => text)).toEqual(["Der", "𝄞", "klang"]);
});

it("marks a word that is marked in part", () => {
  const word = { start: 4, end: 9, ...box };
  expect(isMarked(word, [{ start: 8, end: 12 }])).toBe(true);
  expect(isMarked(word, [{ start: 0, end: 4 }])).toBe(false);
  expect(isMarked(word, [{ start: 9, end: 12 }])).toBe(false);
});

it("stretches text to its box", () => {
  // A page twice as wide as high; the font sets the text 5 times as wide as it is high.
  expect(stretchOf({ start: 0, end: 1, x: 0, y: 0, w: 0.25, h: 0.05 }, 2, 5)).toBe(2);
  expect(stretchOf({ start: 0, end: 1, x: 0, y: 0, w: 0.25, h: 0 }, 2, 5)).toBe(1);
});

it("reads pages as people name them, and names them so", () => {
  expect(pagesOf("1-3, 7;2", 9)).toEqual([1, 2, 3, 7]);
  expect(pagesOf("4", 9)).toEqual([4]);
  expect(pagesOf("1-10", 9)).toBe("The document has pages 1 to 9.");
  expect(pagesOf("3-1", 9)).toBe("The document has pages 1 to 9.");
  for (const none of ["", "one", "1-", "-2"]) expect(pagesOf(none, 9)).toBe("Enter pages, such as 1-3, 7.");
  expect(pagesText([1, 2, 3, 7])).toBe("1-3, 7");
  expect(pagesText([])).toBe("");
});

it("finds the word that is meant: in the line, then beside it", () => {
  const words = [
    { start: 0, end: 3, x: 0.1, y: 0.1, w: 0.1, h: 0.02 },
    { start: 4, end: 9, x: 0.25, y: 0.1, w: 0.1, h: 0.02 },
    { start: 10, end: 14, x: 0.1, y: 0.13, w: 0.1, h: 0.02 },
  ];
  const laid = laidWords({ text: "one three five", words });
  const at = (x: number, y: number) => nearestWord(laid, x, y, 0.7);
  expect([at(0.2, 0.11), at(0.25, 0.1), at(0.9, 0.11), at(0, 0.145), at(0.15, 0.9)]).toEqual([0, 1, 1, 2, 2]);
  expect(nearestWord([], 0.5, 0.5, 1)).toBe(-1);
});
