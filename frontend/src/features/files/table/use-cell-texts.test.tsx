import { expect, it } from "vitest";
import type { Outline } from "@/api/files";
import { marked, whole } from "../model/marks";
import { markedCells } from "./use-cell-texts";

const OUTLINE = { pages: null, page_sizes: null, columns: null, rows: null, sheets: null, note: "" };

it("finds the marked cells of tables and sheets, and nothing else", () => {
  const table: Outline = { ...OUTLINE, format: "csv", columns: ["name", "pay/month"], rows: 9 };
  const marks = marked([], ["row/3/name", "row/4/pay/month", "row/5", "column/name", "row/0/name"].map(whole));
  expect(markedCells(table, marks)).toEqual([
    { address: "row/3/name", sheet: null, row: 3, column: 0 },
    { address: "row/4/pay/month", sheet: null, row: 4, column: 1 },
  ]);
  const sheets = [{ name: "Pay", hidden: false, columns: ["A", "B"], rows: 9 }];
  const cells = marked([], ["sheet/Pay/B9", "sheet/Pay", "sheet/Gone/A1", "xl/comments1.xml/p1"].map(whole));
  expect(markedCells({ ...OUTLINE, format: "xlsx", sheets }, cells)).toEqual([
    { address: "sheet/Pay/B9", sheet: "Pay", row: 9, column: 1 },
  ]);
  expect(markedCells({ ...OUTLINE, format: "docx" }, marks)).toEqual([]);
});
