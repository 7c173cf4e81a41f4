import { expect, it } from "vitest";
import { unclearedNotes } from "./uncleared-notes";

const rosa = { name: "rosa", display_name: "Rosa", cleared: false };
const max = { name: "max", display_name: "Max", cleared: false };
const bruno = { name: "bruno", display_name: "Bruno", cleared: true };
const text = { name: "plan.md", media_type: "text/markdown", classified_bytes: 5 };

it("says nothing about cleared recipients, or if nothing is withheld", () => {
  expect(unclearedNotes([bruno], [text])).toEqual([]);
  expect(unclearedNotes([], [text])).toEqual([]);
  expect(unclearedNotes([rosa], [{ ...text, classified_bytes: 0 }])).toEqual([]);
});

it("mentions markers in texts", () => {
  expect(unclearedNotes([bruno, rosa, max], [text])).toEqual([
    "Rosa and Max are not cleared and will see markers in place of classified text.",
  ]);
});

it("warns if no recipient can read it", () => {
  expect(unclearedNotes([rosa], [text]).at(-1)).toBe("None of the recipients can read classified text.");
});

it("says that a file without an edition cannot be opened", () => {
  const notes = unclearedNotes([rosa, bruno], [{ name: "map.png", media_type: "image/png", classified_bytes: 0 }]);
  expect(notes).toEqual([
    "Rosa is not cleared, and there is no redacted edition. They see the document’s name but cannot open it.",
  ]);
});

it("says that they get a file's redacted edition", () => {
  const pay = { name: "pay.pdf", media_type: "application/pdf", classified_bytes: 9, redacted_bytes: 100 };
  expect(unclearedNotes([rosa, bruno], [pay])).toEqual(["Rosa is not cleared and will get only the redacted edition."]);
  expect(unclearedNotes([rosa, bruno], [pay, { ...text, classified_bytes: 0 }])).toEqual([
    "Rosa is not cleared and will get only the redacted edition of “pay.pdf”.",
  ]);
});

it("names those of several documents that cannot be opened", () => {
  const map = { name: "map.png", media_type: "image/png", classified_bytes: 0 };
  expect(unclearedNotes([rosa, bruno], [text, map])).toEqual([
    "Rosa is not cleared, and there is no redacted edition of “map.png”. They see the document’s name but cannot open it.",
    "In text documents they will see markers in place of classified text.",
  ]);
  const both = [map, { ...map, name: "pay.pdf" }];
  expect(unclearedNotes([rosa], both)).toEqual([
    "Rosa is not cleared, and there is no redacted edition of “map.png” and “pay.pdf”. They see the documents’ names but cannot open them.",
    "None of the recipients can open these documents.",
  ]);
});

it("says that the answer about an edition is not known yet", () => {
  const pay = { name: "pay.pdf", media_type: "application/pdf", classified_bytes: 9 };
  expect(unclearedNotes([rosa], [{ ...pay, edition: "asked" }])).toEqual([
    "Rosa is not cleared. Checking whether a redacted edition can be included…",
  ]);
  expect(unclearedNotes([rosa, bruno], [text, { ...pay, edition: "unknown" }])).toEqual([
    "Rosa is not cleared. Could not tell whether a redacted edition of “pay.pdf” will be included. Without one, they see the document’s name but cannot open it.",
    "In text documents they will see markers in place of classified text.",
  ]);
});
