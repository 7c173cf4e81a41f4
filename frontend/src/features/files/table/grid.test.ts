// @vitest-environment jsdom
import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { draftSource, rowsQuery } from "@/api/file-source";
import type { Table } from "../model/table";
import { moved } from "./grid-keys";
import { choiceOf, isWithin, rectangleOf, type Selected } from "./grid-selection";

const table: Table = { format: "csv", sheet: null, columns: ["name", "pay"], rows: 3 };
const rows = [["Ada", "10"], ["Bruno"], [null, "30"]];
const at = (row: number, column: number, anchor = { row, column }): Selected => ({ row, column, anchor });

function choice(selected: Selected, of = table) {
  const client = new QueryClient();
  client.setQueryData(rowsQuery(draftSource("d"), of.sheet, 1, 200).queryKey, rows);
  return choiceOf(client, draftSource("d"), of, selected).then((found) =>
    typeof found === "string" ? found : { words: found.words, addresses: found.places.map(({ address }) => address) },
  );
}

it("chooses columns by their heads, rows by their numbers, and the cells that are there", async () => {
  expect(await choice(at(0, 1))).toEqual({ words: "column pay", addresses: ["column/pay"] });
  expect(await choice(at(0, 1, { row: 0, column: 0 }))).toEqual({
    words: "2 columns",
    addresses: ["column/name", "column/pay"],
  });
  expect(await choice(at(3, -1, { row: 2, column: -1 }))).toEqual({
    words: "rows 2 to 3",
    addresses: ["row/2", "row/3"],
  });
  expect(await choice(at(1, 0))).toEqual({ words: "name in row 1", addresses: ["row/1/name"] });
  expect(await choice(at(3, 1, { row: 2, column: 0 }))).toEqual({
    words: "2 cells",
    addresses: ["row/2/name", "row/3/pay"],
  });
  expect(await choice(at(3, 0))).toBe("There are no cells.");
});

it("chooses cells of a workbook, whose rows and columns have no address", async () => {
  const sheet: Table = { format: "xlsx", sheet: "Pay", columns: ["A", "B"], rows: 3 };
  expect(await choice(at(0, 1), sheet)).toEqual({
    words: "column B",
    addresses: ["sheet/Pay/B1", "sheet/Pay/B3"],
  });
  expect(await choice(at(1, -1), sheet)).toEqual({ words: "row 1", addresses: ["sheet/Pay/A1", "sheet/Pay/B1"] });
  expect(await choice(at(0, -1), sheet)).toEqual({ words: "sheet Pay", addresses: ["sheet/Pay"] });
});

it("refuses more cells than can be looked at", async () => {
  const large: Table = { ...table, rows: 50_000 };
  expect(await choice(at(40_000, 1, { row: 1, column: 0 }), large)).toMatch(/more than 20,000 cells/);
});

it("goes where the keys lead, and no further than the table", () => {
  const key = (name: string, more: object = {}) => ({ key: name, shiftKey: false, ctrlKey: false, ...more });
  expect(moved(at(0, -1), key("ArrowUp"), 3, 2, 10)).toEqual(at(0, -1));
  expect(moved(at(3, 1), key("ArrowDown"), 3, 2, 10)).toEqual(at(3, 1));
  expect(moved(at(1, 0), key("PageDown"), 3, 2, 10)).toEqual(at(3, 0));
  expect(moved(at(2, 1), key("Home", { ctrlKey: true }), 3, 2, 10)).toEqual(at(0, -1));
  expect(moved(at(2, 0), key("End", { ctrlKey: true }), 3, 2, 10)).toEqual(at(3, 1));
  expect(moved(at(1, 0), key("ArrowDown", { shiftKey: true }), 3, 2, 10)).toEqual(at(2, 0, { row: 1, column: 0 }));
  expect(moved(at(2, 1), key(" ", { ctrlKey: true }), 3, 2, 10)).toEqual(at(0, 1));
  expect(moved(at(2, 1), key(" ", { shiftKey: true }), 3, 2, 10)).toEqual(at(2, -1));
  expect(moved(at(2, 1), key("a"), 3, 2, 10)).toBeNull();
});

it("knows what is selected", () => {
  expect(rectangleOf(at(0, 1), table)).toEqual({ top: 0, bottom: 3, left: 1, right: 1 });
  expect(rectangleOf(at(2, -1), table)).toEqual({ top: 2, bottom: 2, left: -1, right: 1 });
  const cells = rectangleOf(at(1, 1, { row: 2, column: 0 }), table);
  expect([isWithin(cells, 2, 1), isWithin(cells, 3, 0)]).toEqual([true, false]);
});
