import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { type Column, DataTable } from "./DataTable";

interface Row {
  id: string;
  name: string;
  bytes: number;
}

const ROWS: Row[] = [
  { id: "1", name: "beta", bytes: 9 },
  { id: "2", name: "alpha", bytes: 100 },
  { id: "3", name: "gamma", bytes: 20 },
];

const COLUMNS: Column<Row>[] = [
  { id: "name", header: "Name", names: true, cell: (row) => row.name },
  { id: "bytes", header: "Size", cell: (row) => `${row.bytes} B`, sortBy: (row) => row.bytes },
  {
    id: "actions",
    header: "Actions",
    headerHidden: true,
    cell: (row) => <button type="button">Delete {row.name}</button>,
  },
];

const table = (rows = ROWS) => (
  <DataTable caption="Files" columns={COLUMNS} rows={rows} rowId={(row) => row.id} empty={<p>None</p>} />
);
const names = () => screen.getAllByRole("rowheader").map((cell) => cell.textContent);

it("is a table with a caption, column headers and row headers", () => {
  render(table());
  const shown = screen.getByRole("table", { name: "Files" });
  expect(
    within(shown)
      .getAllByRole("columnheader")
      .map((cell) => cell.textContent),
  ).toEqual(["Name", "Size", "Actions"]);
  expect(names()).toEqual(["beta", "alpha", "gamma"]);
  expect(within(shown).getByRole("button", { name: "Delete alpha" })).toBeDefined();
});

it("sorts by the values of a column, not by their text", async () => {
  const user = userEvent.setup();
  render(table());
  await user.click(screen.getByRole("button", { name: "Size" }));
  const first = names();
  expect(screen.getByRole("columnheader", { name: "Size" }).getAttribute("aria-sort")).toMatch(/ascending|descending/);
  await user.click(screen.getByRole("button", { name: "Size" }));
  expect([first, names()]).toEqual(
    expect.arrayContaining([
      ["beta", "gamma", "alpha"],
      ["alpha", "gamma", "beta"],
    ]),
  );
});

it("updates with its rows, and shows the empty state without rows", () => {
  const { rerender } = render(table());
  rerender(table(ROWS.slice(0, 1)));
  expect(names()).toEqual(["beta"]);
  rerender(table([]));
  expect(screen.queryByRole("table")).toBeNull();
  expect(screen.getByText("None")).toBeDefined();
});
