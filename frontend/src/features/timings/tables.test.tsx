/** What charts and panels show is in their tables, too. */
import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderSignedIn } from "@/test/render";
import { CapacityTable } from "./CapacityTable";
import { HeadlineTable } from "./HeadlineTable";
import { heatmapOf } from "./heatmap";
import { PagedTable } from "./PagedTable";
import { QueueTable } from "./QueueTable";
import { ResponsesTable } from "./ResponsesTable";
import { StandoutsTable } from "./StandoutsTable";
import { aCapacity, aHeadline, aQueue, aSummary, someResponses, someStandouts } from "./timings.fixture";

/** The rows of a table below its heading. */
function rowsOf(name: string): (string | null)[][] {
  const [, ...rows] = within(screen.getByRole("table", { name })).getAllByRole("row");
  return rows.map((row) => [...row.children].map(({ textContent }) => textContent));
}

test("at a glance: every figure of both ranges", () => {
  renderSignedIn(<HeadlineTable {...aSummary({ own: 2, current: aHeadline({ clock_moved: 5 }) })} />);
  const rows = Object.fromEntries(rowsOf("All figures").map(([name, ...values]) => [name, values]));
  expect(rows).toMatchObject({
    Transfers: ["42", "30"],
    Delivered: ["40", "40"],
    Failed: ["1", "0"],
    "On the plain channel": ["8.8 MB", "8.8 MB"],
    "Needed no encryption": ["88 %", "88 %"],
    "The clock was set back": ["5", "0"],
    "To people of this gateway": ["2", "–"],
    "Response, median": ["210 ms", "190 ms"],
    "Response, p99": ["2.1 s", "–"],
  });
});

test("what stands out: the numbers of each", () => {
  renderSignedIn(<StandoutsTable items={someStandouts().items} />);
  const [plain, slow] = rowsOf("What stands out");
  expect(plain?.slice(2)).toEqual(["12", "14", "0", "20", "–", "–", "–", "–"]);
  expect(slow?.slice(1)).toEqual(["Data transfer", "40", "–", "–", "–", "356 ms", "42 ms", "44 ms", "–"]);
});

test("durations: each cell of the heatmap, the latest first, and it opens its transfers", async () => {
  const onOpen = vi.fn();
  renderSignedIn(<ResponsesTable map={heatmapOf(someResponses())} onOpen={onOpen} />);
  expect(rowsOf("Cells of the heatmap").map(([, ...cell]) => cell)).toEqual([
    ["117 ms to 137 ms", "9"],
    ["137 ms to 160 ms", "4"],
    ["100 ms to 117 ms", "1"],
  ]);
  await userEvent.click(screen.getByRole("button", { name: /^List: .*137 ms to 160 ms: 4 transfers$/ }));
  expect(onOpen).toHaveBeenCalledWith({ column: 0, bucket: 2, count: 4 });
});

test("queue: the figures of now, the state of each peer, and the deadlines", () => {
  renderSignedIn(<QueueTable queue={aQueue()} />);
  expect(rowsOf("Now").map(([, value]) => value)).toEqual([
    "3",
    "1, oldest accepted 3 h 0 min ago",
    "3 min 5 s",
    "4.5 a minute",
    "3 a minute",
  ]);
  expect(rowsOf("Peers").map(([name, state]) => [name, state])).toEqual([
    ["charlie", "Paused"],
    ["bravo", "No failures"],
  ]);
  const [[transfer, state, at] = []] = rowsOf("Deadlines within an hour");
  expect([transfer, state, at]).toEqual(["Transfer to charlie", "Waiting", expect.stringMatching(/2998|2999/)]);
  expect(screen.getByRole("link", { name: "Transfer to charlie" }).getAttribute("href")).toBe("/sent/t9");
});

test("capacity: the curve of the model, both modes with their intervals, and the answer of the sliders", () => {
  const said = [{ code: "capacity-extrapolated", text: "this is an extrapolation", parameters: {} }];
  renderSignedIn(<CapacityTable capacity={aCapacity({ answer: { ...aCapacity().answer, said } })} />);
  expect(rowsOf("Curves of the models")).toContainEqual(["One server", "19", "52 ms"]);
  expect(rowsOf("An attempt without a queue")).toEqual([
    ["Both channels", "22 ms", "1.2 ms", "45 a second", "900", "900"],
    ["Secure channel only", "–", "–", "–", "3", "3"],
  ]);
  expect(Object.fromEntries(rowsOf("What if"))).toMatchObject({
    "Arrival rate": "12 a second",
    "Document size": "270 KB",
    "Share classified": "42 %",
    "Mean total time": "30 ms",
    "Sent over": "Both channels",
    "Saturated at": "45 a second",
  });
  expect(Object.fromEntries(rowsOf("Measured load"))).toMatchObject({ "Busiest hour": "12 a second" });
});

test("a table of many rows shows a page of them, and says which", async () => {
  const user = userEvent.setup();
  const made: number[] = [];
  renderSignedIn(
    <PagedTable
      caption="Numbers"
      columns={["Number"]}
      count={20_050}
      rowsOf={(from, until) => {
        made.push(until - from);
        return Array.from({ length: until - from }, (_, index) => ({ key: `${from + index}`, cells: [from + index] }));
      }}
    />,
  );
  expect(screen.getByText("Rows 1 to 100 of 20,050. The CSV file has all.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(screen.getByText("Rows 101 to 200 of 20,050. The CSV file has all.")).toBeTruthy();
  expect(rowsOf("Numbers")[0]).toEqual(["100"]);
  await user.click(screen.getByRole("button", { name: "Previous" }));
  expect(rowsOf("Numbers")[99]).toEqual(["99"]);
  expect(Math.max(...made)).toBe(100);
});
