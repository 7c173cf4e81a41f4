import { expect, test } from "vitest";
import type { Unit } from "@/api/files";
import { type Block, blocksOf } from "./blocks";

type Place = readonly [table: number, row: number, column: number, rows?: number, columns?: number];

let number = 0;
function unit(text: string, ...cells: Place[]): Unit {
  number++;
  return {
    address: `word/document.xml/p${number}`,
    text,
    kind: cells.length > 0 ? "table cell" : "paragraph",
    hidden: "",
    cells: cells.map(([table, row, column, rows = 1, columns = 1]) => ({
      table,
      row,
      column,
      rows,
      columns,
      header: row === 0,
    })),
  };
}

/** Words for what is drawn: a table is its rows, a cell its text with what it spans. */
function drawn(blocks: readonly Block[]): unknown {
  return blocks.map((block) =>
    block.is === "paragraphs"
      ? block.units.map(({ text }) => text).join("|")
      : block.rows.map((row) =>
          row.map(({ blocks: inside, columns, rows }) => {
            if (inside === null) return `gap ${columns}`;
            const only = drawn(inside) as unknown[];
            const text = only.length === 0 ? "" : only.length === 1 ? only[0] : only;
            return columns * rows === 1 ? text : `${text} ${rows}x${columns}`;
          }),
        ),
  );
}

test("a table of three rows and four columns is drawn so, between the paragraphs around it", () => {
  const cells = [0, 1, 2].flatMap((row) => [0, 1, 2, 3].map((column) => unit(`${row}${column}`, [1, row, column])));
  expect(drawn(blocksOf([unit("before"), ...cells, unit("after")]))).toEqual([
    "before",
    [
      ["00", "01", "02", "03"],
      ["10", "11", "12", "13"],
      ["20", "21", "22", "23"],
    ],
    "after",
  ]);
});

test("empty cells keep their places, and merged cells what they span", () => {
  const table = [
    unit("tall", [1, 0, 0, 3, 1]),
    unit("", [1, 0, 1]),
    unit("c", [1, 0, 2]),
    unit("", [1, 0, 0, 3, 1]),
    unit("wide", [1, 1, 1, 1, 2]),
  ];
  expect(drawn(blocksOf(table))).toEqual([[["tall 3x1", "", "c"], ["wide 1x2"], ["gap 2"]]]);
});

test("a row that begins later has a gap", () => {
  expect(drawn(blocksOf([unit("a", [1, 0, 0]), unit("b", [1, 0, 1]), unit("late", [1, 1, 1])]))).toEqual([
    [
      ["a", "b"],
      ["gap 1", "late"],
    ],
  ]);
});

test("a table in a cell is drawn in the cell, and two tables are two", () => {
  const units = [
    unit("a", [1, 0, 0]),
    unit("inner", [1, 0, 1], [2, 0, 0]),
    unit("beside", [1, 0, 1], [2, 0, 1]),
    unit("after", [1, 0, 1]),
    unit("next", [3, 0, 0]),
  ];
  expect(drawn(blocksOf(units))).toEqual([[["a", [[["inner", "beside"]], "after"]]], [["next"]]]);
});

test("several paragraphs of a cell are in one cell", () => {
  expect(drawn(blocksOf([unit("one", [1, 0, 0]), unit("two", [1, 0, 0])]))).toEqual([[["one|two"]]]);
});

test("many paragraphs are several blocks", () => {
  const blocks = blocksOf(Array.from({ length: 120 }, (_, at) => unit(`${at}`)));
  expect(blocks.map((block) => block.is === "paragraphs" && block.units.length)).toEqual([50, 50, 20]);
});
