// @vitest-environment node
import { describe, expect, it } from "vitest";
import { MarkIndex, marked, whole } from "./marks";
import { cellAddress, cellMark, cellOf, isHit, type Rule, sheetOf, type Table, tableCoverage } from "./table";

const csv: Table = { format: "csv", sheet: null, columns: ["name", "pay", "a/b"], rows: 5 };
const xlsx: Table = { format: "xlsx", sheet: "Pay", columns: ["A", "B"], rows: 5 };
const marks = new MarkIndex(
  marked([], [...["column/pay", "row/3", "row/2/name"].map(whole), { address: "row/4/name", start: 0, end: 2 }]),
);

describe("a table", () => {
  it("knows its cells by their addresses", () => {
    for (const [table, row, column] of [
      [csv, 4, "a/b"],
      [xlsx, 12, "B"],
    ] as const) {
      const address = cellAddress(table, row, column);
      expect(cellOf(table, address)).toEqual({ row, column: table.columns.indexOf(column) });
    }
    expect(cellOf(csv, "column/pay")).toEqual({ row: 0, column: 1 });
    expect(cellOf(csv, "row/0/pay")).toEqual({ row: 0, column: 1 });
    expect(cellOf(csv, "row/3")).toEqual({ row: 3, column: -1 });
    expect(cellOf(csv, "row/3/none")).toBeNull();
    expect(cellOf(xlsx, "sheet/Pay/B12/formula")).toEqual({ row: 12, column: 1 });
    expect(cellOf(xlsx, "sheet/Pay")).toEqual({ row: 0, column: -1 });
    expect(cellOf(xlsx, "sheet/Payroll/B12")).toBeNull();
    expect(sheetOf("sheet/Pay/B12")).toBe("Pay");
  });

  it("says by what a cell is classified", () => {
    expect(cellMark(marks, csv, 1, "pay")).toBe("column");
    expect(cellMark(marks, csv, 0, "pay")).toBeNull();
    expect(cellMark(marks, csv, 3, "name")).toBe("row");
    expect(cellMark(marks, csv, 2, "name")).toBe("cell");
    expect(cellMark(marks, csv, 4, "name")).toBe("part");
    expect(cellMark(marks, csv, 5, "name")).toBeNull();
    const sheet = new MarkIndex(marked([], [whole("sheet/Pay")]));
    expect(cellMark(sheet, xlsx, 5, "B")).toBe("sheet");
  });

  it("says whether the selection is marked", () => {
    const coverage = (...addresses: string[]) => tableCoverage(marks, csv, addresses.map(whole));
    expect(coverage("column/pay")).toEqual({ some: true, all: true, above: null });
    expect(coverage("row/1/pay")).toEqual({ some: false, all: true, above: "column/pay" });
    expect(coverage("row/3/name")).toEqual({ some: false, all: true, above: "row/3" });
    expect(coverage("row/1/pay", "row/1/name")).toEqual({ some: false, all: false, above: null });
    expect(coverage("row/4/name")).toEqual({ some: true, all: false, above: null });
    expect(coverage("row/0/pay")).toEqual({ some: false, all: false, above: null });
  });
});

describe("a rule", () => {
  const rule = (change: Partial<Rule>): Rule => ({
    column: "c",
    relation: "is",
    value: "",
    matchCase: false,
    ...change,
  });

  it.each([
    [{ relation: "is", value: "kiel" }, ["Kiel", " KIEL ", "Kiel 2"], [true, true, false]],
    [{ relation: "is", value: "kiel", matchCase: true }, ["Kiel", "kiel"], [false, true]],
    [{ relation: "contains", value: "ü" }, ["Mu\u0308nchen", "Kiel"], [true, false]],
    [{ relation: "begins", value: "K" }, ["kiel", "Akiel"], [true, false]],
    [{ relation: "empty" }, ["", " ", null, "0"], [true, true, true, false]],
    [{ relation: "filled" }, ["", null, "0"], [false, false, true]],
  ] as const)("%j", (change, cells, hits) => {
    expect(cells.map((cell) => isHit(rule(change), cell))).toEqual(hits);
  });
});
