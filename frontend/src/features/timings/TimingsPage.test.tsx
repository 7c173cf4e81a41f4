import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import "@/test/canvas";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import { aHeadline, aQueue, aSummary, someResponses, someStandouts } from "./timings.fixture";

const root = somebody({ name: "root", is_admin: true, is_author: false, is_recipient: false });
const base: Record<string, Answer> = {
  "GET /api/v1/session": json(sessionOf(root)),
  "GET /api/v1/timings/summary": json(aSummary()),
  "GET /api/v1/timings/standouts": json(someStandouts()),
  "GET /api/v1/timings/responses": json(someResponses()),
};

/** The queries of the requests for a part. */
function queriesOf(asked: { path: string }[], part: string): Record<string, string>[] {
  return asked
    .filter(({ path }) => path.startsWith(`/api/v1/timings/${part}?`))
    .map(({ path }) => Object.fromEntries(new URLSearchParams(path.split("?")[1])));
}

const spanS = ({ since = "", until = "" }: Record<string, string>) => (Date.parse(until) - Date.parse(since)) / 1000;

test.each([
  ["with enough transfers", [3, 199, 200, 900], "7d", [3600, 86_400, 7 * 86_400, 7 * 86_400]],
  ["with all of few transfers", [0, 5, 5, 5], "24h", [3600, 86_400, 7 * 86_400, 30 * 86_400, 86_400]],
])("opens the shortest range %s, and puts it into the address", async (_, counts, range, spans) => {
  const { asked } = fakeGateway({
    ...base,
    "GET /api/v1/timings/summary": ({ path }) => {
      const query = Object.fromEntries(new URLSearchParams(path.split("?")[1]));
      const at = [3600, 86_400, 7 * 86_400, 30 * 86_400].indexOf(spanS(query));
      return json(aSummary({ current: aHeadline({ transfers: counts[at] ?? 0, retries: 0 }) }));
    },
  });
  renderApp("/admin/timings?peer=bravo");
  await waitFor(() => expect(window.location.search).toBe(`?peer=bravo&range=${range}`));
  await waitFor(() => expect(queriesOf(asked, "responses")).toHaveLength(1));
  expect(queriesOf(asked, "summary").map(spanS)).toEqual(spans);
  expect(queriesOf(asked, "responses")[0]).toMatchObject({ peer: "bravo", figure: "response" });
});

test("each panel has a link, which moves the focus there and leaves the address", async () => {
  const scrolled = vi.fn();
  // jsdom lacks it.
  Object.assign(Element.prototype, { scrollIntoView: scrolled });
  fakeGateway(base);
  renderApp("/admin/timings?range=1h");
  const links = within(await screen.findByRole("navigation", { name: "On this page" })).getAllByRole("link");
  expect(links).toHaveLength(8);
  for (const link of links) {
    await userEvent.click(link);
    const panel = screen.getByRole("region", { name: link.textContent ?? "" });
    expect(document.activeElement).toBe(panel);
    expect(scrolled.mock.contexts.at(-1)).toBe(panel);
  }
  expect(window.location.hash).toBe("");
});

test("a gateway that was idle for 30 days shows the ranges, so that an older one can be chosen, and its queue", async () => {
  const { asked } = fakeGateway({
    ...base,
    "GET /api/v1/timings/summary": json(aSummary({ current: aHeadline({ transfers: 0, retries: 0 }) })),
    "GET /api/v1/timings/queue": json(aQueue()),
  });
  renderApp("/admin/timings");
  await waitFor(() => expect(window.location.search).toBe("?range=30d"));
  expect(await screen.findByText("No transfers in this time range")).toBeTruthy();
  expect(await screen.findByRole("region", { name: "Queue and peers" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Custom" }));
  const from = await screen.findByLabelText<HTMLInputElement>("From");
  fireEvent.change(from, { target: { value: "2026-01-01T00:00" } });
  await userEvent.click(screen.getByRole("button", { name: "Show" }));
  await waitFor(() => expect(queriesOf(asked, "summary").at(-1)?.since).toMatch(/^202[56]-(12-31|01-01)T/));
});

test("an empty gateway shows what will be here", async () => {
  fakeGateway({
    ...base,
    "GET /api/v1/timings/queue": json(aQueue({ peers: [] })),
    "GET /api/v1/timings/summary": json(
      aSummary({
        choices: { peers: [], channels: [], suites: [] },
        current: aHeadline({ transfers: 0, retries: 0 }),
        progress: {
          rolled_up: true,
          waiting_records: 0,
          import_done: false,
          imported_percent: 40.7,
          rebuild_percent: null,
        },
      }),
    ),
  });
  renderApp("/admin/timings");
  expect(await screen.findByText("No transfers yet")).toBeTruthy();
  expect(await screen.findByRole("region", { name: "Queue and peers" })).toBeTruthy();
  expect(await screen.findByText("Transfers from before this version are being added: 40 %.")).toBeTruthy();
});

test("says how far a rebuild is", async () => {
  const progress = { ...aSummary().progress, rebuild_percent: 40.7 };
  fakeGateway({ ...base, "GET /api/v1/timings/summary": json(aSummary({ progress })) });
  renderApp("/admin/timings");
  expect(await screen.findByText("All figures are being computed again: 40 %.")).toBeTruthy();
});

test("a filter is in the address, the requests and the downloads; back takes it away", async () => {
  const user = userEvent.setup();
  const { asked } = fakeGateway(base);
  renderApp("/admin/timings?range=24h");
  await screen.findByText("up from 30");
  const scrolled = vi.spyOn(window, "scrollTo");
  await user.click(screen.getByRole("combobox", { name: "Peer" }));
  await user.click(await screen.findByRole("option", { name: "charlie" }));
  await waitFor(() => expect(window.location.search).toBe("?range=24h&peer=charlie"));
  const csv = screen.getByRole("link", { name: "CSV: Durations over time" });
  await waitFor(() => {
    const query = Object.fromEntries(new URLSearchParams(csv.getAttribute("href")?.split("?")[1]));
    expect(query).toEqual({ ...queriesOf(asked, "responses").at(-1), peer: "charlie", format: "csv" });
  });
  expect(scrolled, "a change of filters moves nothing").not.toHaveBeenCalled();
  window.history.back();
  await waitFor(() => expect(window.location.search).toBe("?range=24h"));
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>("combobox", { name: "Peer" }).value).toBe(""));
});

test("of hundreds of peers, typing finds one, and clearing shows all", async () => {
  const user = userEvent.setup();
  const peers = Array.from({ length: 500 }, (_, number) => `peer-${number}`);
  const { choices } = aSummary();
  fakeGateway({ ...base, "GET /api/v1/timings/summary": json(aSummary({ choices: { ...choices, peers } })) });
  renderApp("/admin/timings?range=24h");
  await screen.findByText("up from 30");
  const peer = screen.getByRole("combobox", { name: "Peer" });
  await user.click(peer);
  expect(await screen.findByText("500 choices: type to find one.")).toBeTruthy();
  expect(screen.getAllByRole("option")).toHaveLength(50);
  await user.type(peer, "peer-499");
  await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(1));
  await user.keyboard("{Enter}");
  await waitFor(() => expect(window.location.search).toBe("?range=24h&peer=peer-499"));
  await user.click(screen.getByRole("button", { name: "Clear: Peer" }));
  await waitFor(() => expect(window.location.search).toBe("?range=24h"));
});

test("the heatmap: keys choose a cell, Enter lists its transfers, and shift and keys zoom", async () => {
  const user = userEvent.setup();
  const { asked } = fakeGateway({
    ...base,
    "GET /api/v1/timings/cell": json({
      transfers: [
        {
          transfer_id: "t1",
          direction: "sent",
          at: "2026-11-23T05:12:00Z",
          peer: "bravo",
          mode: "sieve",
          outcome: "delivered",
          size: 1000,
          share: "10",
          value_ms: 130,
          clock_moved: false,
        },
        {
          transfer_id: "t2",
          direction: "received",
          at: "2026-11-23T05:11:00Z",
          peer: "charlie",
          mode: "sieve",
          outcome: "delivered",
          size: 1000,
          share: "0",
          value_ms: 120,
          clock_moved: true,
        },
      ],
      more: true,
    }),
  });
  renderApp("/admin/timings?range=1h");
  const cells = await screen.findByRole("button", { name: "Cells of the heatmap" });
  cells.focus();
  await user.keyboard("{ArrowLeft}{Enter}");
  const dialog = within(await screen.findByRole("dialog", { name: "Response of 117 ms to 137 ms" }));
  expect((await dialog.findByRole("link", { name: /^To bravo/ })).getAttribute("href")).toBe("/sent/t1");
  const received = dialog.getByRole("link", { name: /^From charlie/ });
  expect(received.getAttribute("href")).toBe("/admin/transfers?view=received&transfer=t2");
  const rows = dialog.getAllByRole("listitem").map(({ textContent }) => textContent ?? "");
  expect(rows.map((row) => row.includes("The clock was set back during this transfer."))).toEqual([false, true]);
  expect(queriesOf(asked, "cell")).toEqual([
    {
      since: "2026-11-23T05:10:00Z",
      until: "2026-11-23T05:15:00Z",
      figure: "response",
      low_ms: "117",
      high_ms: "137",
      limit: "50",
    },
  ]);
  expect(dialog.getByText("The latest 2 of 9 transfers. The CSV file has all.")).toBeTruthy();
  expect(dialog.getByRole("link", { name: "CSV" }).getAttribute("href")).toMatch(
    /low_ms=117&.*limit=100000&format=csv$/,
  );
  await user.click(dialog.getByRole("button", { name: "Show up to 1,000" }));
  await waitFor(() => expect(queriesOf(asked, "cell").at(-1)?.limit).toBe("1000"));
  await user.click(dialog.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  cells.focus();
  await user.keyboard("{Shift>}{ArrowLeft}{/Shift}{Enter}");
  await waitFor(() =>
    expect(window.location.search).toBe("?since=2026-11-23T05%3A00%3A00Z&until=2026-11-23T05%3A15%3A00Z"),
  );
});

test("a number in the address stays as it is", async () => {
  const { asked } = fakeGateway(base);
  renderApp("/admin/timings?range=1h&share=10");
  await screen.findByText("up from 30");
  expect(window.location.search).toBe("?range=1h&share=10");
  expect(queriesOf(asked, "summary")[0]?.share).toBe("10");
});

test("on a narrow screen the heatmap has few columns, which a finger can hit", async () => {
  vi.spyOn(globalThis, "matchMedia").mockImplementation(
    (media) =>
      ({ media, matches: media.startsWith("(max-width"), addEventListener() {}, removeEventListener() {} }) as never,
  );
  const { asked } = fakeGateway(base);
  renderApp("/admin/timings?range=1h");
  await screen.findByRole("button", { name: "Cells of the heatmap" });
  expect(queriesOf(asked, "responses").map(({ columns }) => columns)).toEqual(["10"]);
});

test("the table has the numbers of the chart", async () => {
  const user = userEvent.setup();
  fakeGateway(base);
  renderApp("/admin/timings?range=1h");
  await user.click(await screen.findByRole("button", { name: "Table: Durations over time" }));
  const rows = within(screen.getByRole("table", { name: "Response over time" })).getAllByRole("row");
  expect(rows).toHaveLength(3);
  expect(rows[2]?.textContent).toMatch(/9126 ms136 ms137 ms$/);
});

test("a share in the middle of a line begins with a small letter", async () => {
  fakeGateway({
    ...base,
    "GET /api/v1/timings/summary": json(
      aSummary({ current: aHeadline({ plain_share: 0.4 }), previous: aHeadline({ plain_share: 0.999 }) }),
    ),
  });
  renderApp("/admin/timings?range=1h");
  expect(await screen.findByText("down from over 99 %")).toBeTruthy();
});

test("invalid values in the address are not asked for, and goes with the next change", async () => {
  const user = userEvent.setup();
  const { asked } = fakeGateway(base);
  renderApp("/admin/timings?size=huge&since=2026-11-23T08:00:00Z&until=2026-11-23T06:00:00Z&range=7d");
  await screen.findByText("up from 30");
  expect(spanS(queriesOf(asked, "summary")[0] ?? {})).toBe(7 * 86_400);
  expect(queriesOf(asked, "summary")[0]?.size).toBeUndefined();
  await user.click(screen.getByRole("button", { name: "Day" }));
  await waitFor(() => expect(window.location.search).toBe("?range=24h"));
});

test("an unknown peer in the address gives one sentence, and all peers are a step away", async () => {
  const user = userEvent.setup();
  fakeGateway({
    ...base,
    "GET /api/v1/timings/summary": ({ path }) =>
      path.includes("peer=nobody")
        ? refused(422, "query.peer: this gateway never had a peer of this name; see `sieve peers list`")
        : json(aSummary()),
  });
  renderApp("/admin/timings?range=24h&peer=nobody");
  expect(await screen.findByText("This gateway has no figures of a peer named “nobody”")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.queryByRole("region", { name: "Capacity" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Show all peers" }));
  expect(await screen.findByText("up from 30")).toBeTruthy();
  expect(window.location.search).toBe("?range=24h");
});

test("a range or filters without transfers say so once, and the queue stays", async () => {
  const user = userEvent.setup();
  const nothing = aHeadline({ transfers: 0, retries: 0 });
  fakeGateway({
    ...base,
    "GET /api/v1/timings/summary": ({ path }) => json(aSummary(path.includes("size=") ? { current: nothing } : {})),
    "GET /api/v1/timings/queue": json(aQueue()),
  });
  renderApp("/admin/timings?range=1h&size=1GB");
  expect(await screen.findByText("No transfers in this time range with these filters")).toBeTruthy();
  expect(screen.getByRole("region", { name: "Queue and peers" })).toBeTruthy();
  expect(screen.queryByRole("region", { name: "Capacity" })).toBeNull();
  const empty = screen.getByText("No transfers in this time range with these filters").parentElement as HTMLElement;
  await user.click(within(empty).getByRole("button", { name: "Clear filters" }));
  expect(await screen.findByRole("region", { name: "At a glance" })).toBeTruthy();
  expect(window.location.search).toBe("?range=1h");
});

test("a bookmarked range on an empty gateway shows what will be here", async () => {
  const summary = aSummary({ current: aHeadline({ transfers: 0, retries: 0 }) });
  summary.choices.peers = [];
  fakeGateway({ ...base, "GET /api/v1/timings/summary": json(summary), "GET /api/v1/timings/queue": json(aQueue()) });
  renderApp("/admin/timings?since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z");
  expect(await screen.findByText("No transfers yet")).toBeTruthy();
});

test("a page that slept for a day says how old its figures are until the gateway answers", async () => {
  const user = userEvent.setup();
  fakeGateway(base);
  renderApp("/admin/timings?range=1h");
  await screen.findByText("up from 30");
  expect(screen.queryByText(/^Figures as of/)).toBeNull();
  const tomorrow = Date.now() + 86_400_000;
  vi.spyOn(Date, "now").mockReturnValue(tomorrow);
  // Each render reads the clock, as the page's tick does.
  await user.click(screen.getByRole("button", { name: "Total" }));
  expect(await screen.findByText(/^Figures as of .* They update when the gateway answers.$/)).toBeTruthy();
});

test("a gateway that restarts: the page keeps its figures, says so once, and goes on by itself", async () => {
  const { routes } = fakeGateway({ ...base });
  const { client } = renderApp("/admin/timings?range=1h");
  await screen.findByText("up from 30");
  const working = { ...routes };
  const load = () => client.refetchQueries({ queryKey: ["timings"], type: "active" });
  for (const route of Object.keys(base)) {
    if (route.includes("/timings/")) routes[route] = () => Promise.reject(new TypeError("Failed to fetch"));
  }
  await load();
  expect(await screen.findByText(/^The gateway does not answer. These figures are from/)).toBeTruthy();
  expect(screen.getByText("up from 30")).toBeTruthy();
  expect(screen.queryByText("These figures may be out of date.")).toBeNull();
  const later = aSummary({ current: aHeadline({ transfers: 77 }) });
  Object.assign(routes, working, { "GET /api/v1/timings/summary": json(later) });
  await load();
  expect(await screen.findByText("77")).toBeTruthy();
  expect(screen.queryByText(/^The gateway does not answer/)).toBeNull();
});

test("while the gateway does not answer at first, the page says so once instead of in each panel", async () => {
  const user = userEvent.setup();
  const { routes } = fakeGateway({
    ...base,
    "GET /api/v1/timings/summary": () => Promise.reject(new TypeError("Failed to fetch")),
  });
  renderApp("/admin/timings?range=1h");
  expect(await screen.findByText("The gateway does not answer. The figures load when it answers again.")).toBeTruthy();
  expect(screen.queryByRole("heading", { name: "Queue and peers" })).toBeNull();
  routes["GET /api/v1/timings/summary"] = json(aSummary());
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("up from 30")).toBeTruthy();
});
