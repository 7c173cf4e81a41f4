import { expect, it } from "vitest";
import { unclearedNotes } from "./uncleared-notes";

const rosa = { name: "rosa", display_name: "Rosa", cleared: false };
const max = { name: "max", display_name: "Max", cleared: false };
const bruno = { name: "bruno", display_name: "Bruno", cleared: true };
const text = { name: "plan.md", media_type: "text/markdown", classified_bytes: 5 };

it("says nothing of the cleared, nor where nothing is withheld", () => {
  expect(unclearedNotes([bruno], [text])).toEqual([]);
  expect(unclearedNotes([], [text])).toEqual([]);
  expect(unclearedNotes([rosa], [{ ...text, classified_bytes: 0 }])).toEqual([]);
});

it("tells of markers in text", () => {
  expect(unclearedNotes([bruno, rosa, max], [text])).toEqual([
    "Rosa and Max are not cleared: they will see markers where text is classified, and nothing of what stands there.",
  ]);
});

it("warns when nobody can read it", () => {
  expect(unclearedNotes([rosa], [text]).at(-1)).toBe("Nobody whom you chose can read what is classified.");
});

it("tells that what is no text cannot be opened, however little is classified", () => {
  const notes = unclearedNotes([rosa, bruno], [{ name: "map.png", media_type: "image/png", classified_bytes: 0 }]);
  expect(notes).toEqual([
    "Rosa is not cleared: no redacted edition goes along, so they see that it came, and its name, but cannot open it.",
  ]);
});

it("tells that a file has an edition for them", () => {
  const pay = { name: "pay.pdf", media_type: "application/pdf", classified_bytes: 9, redacted_bytes: 100 };
  expect(unclearedNotes([rosa, bruno], [pay])).toEqual([
    "Rosa is not cleared: they get the redacted edition, without what is classified.",
  ]);
  expect(unclearedNotes([rosa, bruno], [pay, { ...text, classified_bytes: 0 }])).toEqual([
    "Rosa is not cleared: they get the redacted edition of “pay.pdf”, without what is classified.",
  ]);
});

it("tells of several which ones cannot be opened, and of the others what is withheld", () => {
  const map = { name: "map.png", media_type: "image/png", classified_bytes: 0 };
  expect(unclearedNotes([rosa, bruno], [text, map])).toEqual([
    "Rosa is not cleared: no redacted edition goes along, so of “map.png” they see that it came, and its name, but cannot open it.",
    "In texts they will see markers where text is classified, and nothing of what stands there.",
  ]);
  const both = [map, { ...map, name: "pay.pdf" }];
  expect(unclearedNotes([rosa], both)).toEqual([
    "Rosa is not cleared: no redacted edition goes along, so of “map.png” and “pay.pdf” they see that they came, and their names, but cannot open them.",
    "Nobody whom you chose can open these documents.",
  ]);
});

it("tells that it is not known yet whether a file has an edition for them, and claims nothing of it", () => {
  const pay = { name: "pay.pdf", media_type: "application/pdf", classified_bytes: 9 };
  expect(unclearedNotes([rosa], [{ ...pay, edition: "asked" }])).toEqual([
    "Rosa is not cleared: whether a redacted edition goes along is not known yet: it is being made.",
  ]);
  expect(unclearedNotes([rosa, bruno], [text, { ...pay, edition: "unknown" }])).toEqual([
    "Rosa is not cleared: whether a redacted edition of “pay.pdf” goes along is not known. Without one they see that it came, and its name, but cannot open it.",
    "In texts they will see markers where text is classified, and nothing of what stands there.",
  ]);
});
