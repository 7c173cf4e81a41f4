import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import "@/test/canvas";
import { type Answer, fakeGateway, json } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import {
  aCapacity,
  aHeadline,
  aQueue,
  aSummary,
  someModes,
  somePhases,
  somePoints,
  someResponses,
  someStandouts,
} from "./timings.fixture";

const root = somebody({ name: "root", is_admin: true, is_author: false, is_recipient: false });

function opened(search = "range=24h", routes: Record<string, Answer> = {}) {
  const gateway = fakeGateway({
    "GET /api/v1/session": json(sessionOf(root)),
    "GET /api/v1/timings/summary": json(aSummary()),
    "GET /api/v1/timings/standouts": json(someStandouts()),
    "GET /api/v1/timings/responses": json(someResponses()),
    "GET /api/v1/timings/phases": json(somePhases()),
    "GET /api/v1/timings/modes": json(someModes()),
    "GET /api/v1/timings/points": json(somePoints()),
    "GET /api/v1/timings/queue": json(aQueue()),
    "GET /api/v1/timings/capacity": json(aCapacity()),
    ...routes,
  });
  return { ...gateway, ...renderApp(`/admin/timings?${search}`) };
}

const panel = async (name: string) => within(await screen.findByRole("region", { name }));
const cellsOf = (table: HTMLElement) =>
  within(table)
    .getAllByRole("row")
    .map((row) => [...row.children].map(({ textContent }) => textContent));

const STANDOUTS = "What stands out";
const linesOf = (item: HTMLElement) => [...item.querySelectorAll("p")].map(({ textContent }) => textContent);

test("what stands out is ranked, with its numbers, and leads to the view that shows it", async () => {
  const user = userEvent.setup();
  opened();
  const standouts = await panel(STANDOUTS);
  const items = within(await standouts.findByRole("list")).getAllByRole("listitem");
  expect(items.map(linesOf)).toEqual([
    [
      "The plain channel to charlie fails or is too slow",
      "In 12 of 14 attempts over both channels. Before: 0 of 20.",
      "The secure channel carries what the plain one does not. Check what filters or slows the peer’s plain port.",
    ],
    [
      "Data transfer takes 8.5 times as long with charlie as before",
      "356 ms on average in 40 transfers. Before: 42 ms. Other peers: 44 ms.",
    ],
  ]);
  // jsdom lacks it.
  Object.assign(Element.prototype, { scrollIntoView: vi.fn() });
  await user.click(standouts.getByRole("link", { name: /^Show only charlie: The plain channel/ }));
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Durations over time" }));
  await waitFor(() => expect(window.location.search).toBe("?range=24h&direction=sent&peer=charlie&mode=sieve"));
  // This view has nothing more to show of them.
  await waitFor(() => expect(standouts.queryByRole("link", { name: /^Show/ })).toBeNull());
});

test("each part has a table, a CSV and a JSON", async () => {
  opened();
  const tables = {
    "At a glance": "All figures",
    [STANDOUTS]: STANDOUTS,
    "Durations over time": "Cells of the heatmap",
    "Where time goes": "The mean time of each phase",
    "Modes compared": "Break-even",
    "Every transfer": "The transfers in view",
    "Queue and peers": "Now",
    Capacity: "What if",
  };
  for (const [title, name] of Object.entries(tables)) {
    const found = await panel(title);
    expect(await found.findByRole("link", { name: `CSV: ${title}` })).toBeTruthy();
    expect(found.getByRole("link", { name: `JSON: ${title}` })).toBeTruthy();
    const button = found.getByRole("button", { name: `Table: ${title}` });
    await userEvent.click(button);
    expect(button.getAttribute("aria-pressed")).toBe("true");
    expect(found.getByRole("table", { name })).toBeTruthy();
    await userEvent.click(button);
    expect(found.queryByRole("table", { name })).toBeNull();
  }
});

const tick = (element: Element) => element.querySelector(".text-ok");

test("what stands out: nothing, with nothing to compare", async () => {
  opened("range=24h", {
    "GET /api/v1/timings/standouts": json(someStandouts({ items: [], compared: 0, attempts_compared: 0 })),
    "GET /api/v1/timings/summary": json(aSummary({ current: aHeadline({ failed: 0, retries: 0 }) })),
  });
  const standouts = await panel(STANDOUTS);
  expect(tick(await standouts.findByText(/^Nothing stands out: no peer is paused/))).toBeTruthy();
  const compared = standouts.getByText(/^How often attempts fail is not compared with before: this needs 30 attempts/);
  expect(compared.textContent).toMatch(/ Phases are not compared: this needs 10 transfers/);
});

test("what stands out: nothing, although transfers failed, is no reason for a tick", async () => {
  opened("range=24h", { "GET /api/v1/timings/standouts": json(someStandouts({ items: [] })) });
  const standouts = await panel(STANDOUTS);
  const found = await standouts.findByText(
    "1 transfer failed and 3 attempts were repeated. No peer or reason stands out.",
  );
  expect(tick(found)).toBeNull();
  expect(standouts.getByText(/^How often 60 of 90 attempts failed was compared with before\./)).toBeTruthy();
  // A long range grows to whole days.
  expect(standouts.getByText(/^Counted: 22 Nov 2026.* to 30 Nov 2026.*\. Before: 14 Nov 2026/)).toBeTruthy();
});

test("phases: bars of each group, a phase can be left out, and what they are by is in the address", async () => {
  const user = userEvent.setup();
  const { asked } = opened("range=24h&phases=peer", {
    "GET /api/v1/timings/phases": ({ path }) =>
      json(path.includes("by=peer") ? somePhases({ by: "peer", groups: [] }) : somePhases()),
  });
  const phases = await panel("Where time goes");
  expect(await phases.findByText(/^No delivered transfers here/)).toBeTruthy();
  await user.click(phases.getByRole("button", { name: "By size" }));
  const bars = within(await phases.findByRole("list", { name: "Phases by size" })).getAllByRole("listitem");
  expect(bars.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Up to 10 KB.*40 ms90 transfers$/),
    expect.stringMatching(/^1 to 10 MB.*400 ms10 transfers$/),
  ]);
  expect(phases.getByRole("img", { name: "Waiting 30 ms, Data transfer 10 ms" })).toBeTruthy();
  expect(phases.getByText("Data transfer takes 62 % of the time shown.")).toBeTruthy();
  await user.click(phases.getByRole("button", { name: "Waiting", pressed: true }));
  expect(phases.getByText("10 ms")).toBeTruthy();
  expect(window.location.search).toBe("?range=24h&hidden=waiting");
  expect(asked.filter(({ path }) => path.includes("/phases")).map(({ path }) => /by=\w+/.exec(path)?.[0])).toEqual([
    "by=peer",
    "by=size",
  ]);
});

test("modes: each comparison says who is faster, by how much and from how many transfers", async () => {
  const user = userEvent.setup();
  opened();
  const modes = await panel("Modes compared");
  const table = await modes.findByRole("table");
  expect(cellsOf(table).slice(2)).toEqual([
    [
      "100 KB to 1 MB",
      expect.stringMatching(/34 % faster.*\+28 to \+40 %.*n 40.*30/),
      expect.stringMatching(/5 % slower.*−9 to −1 %.*n 20.*25/),
      expect.stringContaining("93 %"),
    ],
    ["1 to 10 MB", expect.stringMatching(/Not enough transfers.*n 3.*0/), "", expect.stringContaining("Not enough")],
  ]);
  expect(modes.getByText(/^Of 2 comparisons, both channels are faster in 1/)).toBeTruthy();
  const figures = modes.getAllByRole("term").map((term) => term.parentElement?.textContent);
  expect(figures).toEqual([
    "Automatic: response was half to twice the estimate90 %72 of 80 transfers",
    "Automatic: the other mode would have been faster, by its estimate5 %4 of 80 transfers",
    "Sending took half to twice as long as authors were shown82 %41 of 50 transfers",
    "Sending took, on average2.4 sshown on average: 1.8 s",
  ]);
  await user.click(modes.getByRole("button", { name: "Table: Modes compared" }));
  expect(cellsOf(modes.getByRole("table", { name: "The planner" }))[3]?.slice(1)).toEqual([
    "82 %",
    "41 of 50 transfers",
  ]);
  expect(cellsOf(modes.getByRole("table", { name: "Break-even" })).slice(1)).toEqual([
    ["100 KB to 1 MB", "93 %"],
    ["1 to 10 MB", "Not enough transfers."],
  ]);
  expect(cellsOf(modes.getByRole("table", { name: /^Improvement/ }))[1]).toEqual([
    "100 KB to 1 MB, Up to 10 %",
    "+34 %",
    "+28 to +40 %",
    "66 ms",
    "40",
    "100 ms",
    "30",
  ]);
});

test("points: the table has what is in view, the slowest first, and each leads to its transfer or document", async () => {
  const user = userEvent.setup();
  const { asked } = opened("range=24h&points=share", {
    "GET /api/v1/timings/points": json(somePoints({ of: 50_000 })),
  });
  const points = await panel("Every transfer");
  expect(await points.findByRole("img", { name: "2 transfers by share classified and response" })).toBeTruthy();
  await user.click(points.getByRole("button", { name: "Show up to 100,000" }));
  expect(asked.filter(({ path }) => path.includes("/points")).at(-1)?.path).toContain("limit=100000");
  await user.click(points.getByRole("button", { name: "Table: Every transfer" }));
  const [, slow = [], fast = []] = cellsOf(points.getByRole("table"));
  expect(slow.slice(1)).toEqual(["240 ms", "20 KB", "100 %", "Secure channel only", "Received"]);
  expect(fast.slice(1)).toEqual(["66 ms", "1 MB", "Up to 10 %", "Both channels", "Sent"]);
  expect(points.getAllByRole("link").map((link) => link.getAttribute("href"))).toContain("/sent/t1");
  const received = points.getByRole("link", { name: slow[0] ?? "" });
  expect(received.getAttribute("href")).toBe("/admin/transfers?view=received&transfer=t2");
});

test("points: the arrow keys and the buttons change what is in view", async () => {
  const user = userEvent.setup();
  opened();
  const points = await panel("Every transfer");
  const surface = await points.findByRole("group", { name: /^Move with the arrow keys/ });
  surface.focus();
  // Both points are at the edges: in the lower half of a view that is half as large, there is only the faster one.
  await user.keyboard(
    "+++{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}",
  );
  await user.click(points.getByRole("button", { name: "Table: Every transfer" }));
  expect(
    cellsOf(points.getByRole("table"))
      .slice(1)
      .map(([, response]) => response),
  ).toEqual(["66 ms"]);
  await waitFor(() => expect(window.location.search).toMatch(/^\?range=24h&zoom=[\d._]+$/));
  window.history.back();
  // The keys were one gesture.
  await waitFor(() => expect(window.location.search).toBe("?range=24h"));
  await waitFor(() => expect(cellsOf(points.getByRole("table"))).toHaveLength(3));
  window.history.forward();
  await waitFor(() => expect(cellsOf(points.getByRole("table"))).toHaveLength(2));
  await user.click(points.getByRole("button", { name: "By share classified" }));
  expect(cellsOf(points.getByRole("table"))).toHaveLength(3);
  expect(window.location.search).toBe("?range=24h&points=share");
});

test("what is hidden, zoomed and asked about is read from the address, and asks for no other figures", async () => {
  const { asked } = opened("range=24h&hidden=waiting&zoom=4_5.5_1.7_2&if=rate-6_mode-sieve");
  const phases = await panel("Where time goes");
  expect(await phases.findByRole("button", { name: "Waiting", pressed: false })).toBeTruthy();
  const capacity = await panel("Capacity");
  const rate = await capacity.findByRole("slider", { name: "Arrival rate" });
  expect(rate.getAttribute("aria-valuetext")).toBe("6 a second");
  const points = await panel("Every transfer");
  await userEvent.click(await points.findByRole("button", { name: "Table: Every transfer" }));
  expect(points.getByText(/^No transfer is in view/)).toBeTruthy();
  expect(asked.filter(({ path }) => path.includes("/capacity")).map(({ path }) => /rate=.*/.exec(path)?.[0])).toEqual([
    "rate=6&send_mode=sieve",
  ]);
  expect(asked.some(({ path }) => path.includes("zoom") || path.includes("hidden"))).toBe(false);
});

test("queue: what waits, why attempts failed, and the peers with problems first", async () => {
  const user = userEvent.setup();
  opened();
  const queue = await panel("Queue and peers");
  expect(await queue.findByText("More comes in than goes out: the queue is growing.")).toBeTruthy();
  expect(queue.getByText("4.5 a minute")).toBeTruthy();
  expect(queue.getByText("oldest accepted 3 h 0 min ago")).toBeTruthy();
  expect(queue.getByText("12 attempts")).toBeTruthy();
  expect(queue.getByRole("link", { name: "Transfer to charlie" }).getAttribute("href")).toBe("/sent/t9");
  expect(
    cellsOf(queue.getByRole("table", { name: "Peers" }))
      .slice(1)
      .map(([name, state]) => [name, state]),
  ).toEqual([
    ["charlie", expect.stringMatching(/^StatePaused5 failures in a row, tries again/)],
    ["bravo", "StateNo failures"],
  ]);
  await user.click(queue.getByRole("button", { name: "Table: Queue and peers" }));
  expect(cellsOf(queue.getByRole("table", { name: "Transfers over time" }))[1]?.slice(1)).toEqual(["20", "18"]);
});

test("a pause that is over since the answer came is followed by a try now, not in the past", async () => {
  const over = "2026-11-23T05:59:00Z";
  const found = aQueue();
  opened("range=24h", {
    "GET /api/v1/timings/queue": json(
      aQueue({ peers: found.peers.map((peer) => ({ ...peer, breaker_open_until: over, failures: 5 })) }),
    ),
    "GET /api/v1/timings/standouts": json(
      someStandouts({ items: [{ kind: "paused", peer: "charlie", count: 5, paused_until: over }] }),
    ),
  });
  const peers = await (await panel("Queue and peers")).findByRole("table", { name: "Peers" });
  expect(peers.textContent).toContain("5 failures in a row, tries again now");
  expect((await (await panel(STANDOUTS)).findByText(/^Next try:/)).textContent).toBe("Next try: now");
});

test("modes: before estimates are reliable, the page says that nobody was shown one", async () => {
  const { planner } = someModes();
  const none = {
    expected: 0,
    expected_within_two: 0,
    expected_within_two_share: null,
    mean_expected_ms: null,
    mean_turnaround_ms: null,
  };
  opened("range=24h", { "GET /api/v1/timings/modes": json(someModes({ planner: { ...planner, ...none } })) });
  const modes = await panel("Modes compared");
  expect(await modes.findByText(/^No author was shown how long sending should take/)).toBeTruthy();
  expect(modes.getAllByRole("term")).toHaveLength(2);
});

test("queue: the page says which filters do not apply to what waits", async () => {
  const queue = aQueue();
  const { asked } = opened("range=24h&direction=received&peer=charlie&mode=auto&channels=1%2B1&outcome=failed", {
    "GET /api/v1/timings/queue": json(aQueue({ rate_in_per_s: null, series: { ...queue.series, accepted: null } })),
  });
  const found = await panel("Queue and peers");
  expect(await found.findByText("The direction does not apply here: only what is sent waits.")).toBeTruthy();
  expect(found.getByText(/because what waits does not have them yet: Channels and Outcome\.$/)).toBeTruthy();
  expect(found.getByText("Of what waits, the mode is the one that its author chose.")).toBeTruthy();
  expect(found.getByText("What authors sent is not counted with these filters.")).toBeTruthy();
  expect(found.getByRole("img", { name: "24 transfers ended" })).toBeTruthy();
  expect(found.queryByText("More comes in than goes out: the queue is growing.")).toBeNull();
  expect(asked.some(({ path }) => path.includes("/queue") && path.includes("peer=charlie"))).toBe(true);
  await userEvent.click(found.getByRole("button", { name: "Table: Queue and peers" }));
  expect(cellsOf(found.getByRole("table", { name: "Transfers over time" }))[1]?.slice(1)).toEqual(["–", "18"]);
});

test("at a glance: the page says during how many transfers the clock was set back, if during any", async () => {
  const moved = json(aSummary({ current: aHeadline({ clock_moved: 5 }) }));
  opened("range=1h", { "GET /api/v1/timings/summary": moved });
  const found = await panel("At a glance");
  expect(
    await found.findByText("The clock was set back during 5 transfers. Times that would be negative are counted as 0."),
  ).toBeTruthy();
});

test("at a glance: what a gateway sends to itself counts once, and the page says so", async () => {
  opened("range=1h", { "GET /api/v1/timings/summary": json(aSummary({ own: 2 })) });
  const found = await panel("At a glance");
  expect(await found.findByText("2 transfers went to people of this gateway. They count once, as sent.")).toBeTruthy();
});

test("capacity: a sample that has too few of a mode is not called all of them", async () => {
  const [sieve, secure] = aCapacity().curves;
  const few = secure && { ...secure, count: 2000, reason: "at least 10 are needed; there are 3" };
  opened("range=24h", {
    "GET /api/v1/timings/capacity": json(aCapacity({ curves: sieve && few ? [{ ...sieve, sampled: 120 }, few] : [] })),
  });
  const found = await panel("Capacity");
  expect(await found.findByText(/for an attempt without a queue, from 120 transfers\.$/)).toBeTruthy();
  expect(found.getByText(/The sample has 3 of 2,000\.$/)).toBeTruthy();
});

test("queue: without transfers there are no empty axes", async () => {
  const series = { width_s: 3600, columns: ["2026-11-23T05:00:00Z"], accepted: [0], ended: [0] };
  opened("range=24h", { "GET /api/v1/timings/queue": json(aQueue({ series, causes: [] })) });
  const queue = await panel("Queue and peers");
  expect(await queue.findByText("No transfer ended in this time range.")).toBeTruthy();
  expect(queue.getByText("None in this time range.")).toBeTruthy();
  expect(queue.queryByRole("img")).toBeNull();
});

test("at a glance: a range before that is longer is named", async () => {
  const changed = aSummary({ previous_since: "2026-11-22T00:00:00Z" });
  opened("range=1h", { "GET /api/v1/timings/summary": json(changed) });
  const found = await panel("At a glance");
  expect(await found.findByText(/^Each figure is beside the time from .* to /)).toBeTruthy();
});

test("what stands out: a sample is said to be one", async () => {
  opened("range=24h", {
    "GET /api/v1/timings/standouts": json(someStandouts({ compared: 1900, sampled_of: 3_900_000 })),
  });
  const found = await panel("What stands out");
  expect(await found.findByText(/A random sample of 3,900,000 transfers was compared/)).toBeTruthy();
});

test("capacity: the page says from which transfers the times are", async () => {
  opened("range=30d", {
    "GET /api/v1/timings/capacity": json(aCapacity({ sampled: 400, sampled_since: "2026-08-25T00:00:00Z" })),
  });
  const found = await panel("Capacity");
  expect(await found.findByText(/^Fitted to a random sample of 400 transfers since/)).toBeTruthy();
});

test("capacity: what the measured mix bears, and an answer that follows the sliders", async () => {
  const user = userEvent.setup();
  const faster = {
    mode: "sieve" as const,
    response_ms: 25,
    saturation_per_s: 45,
    enough: true,
    reason: null,
    said: [],
  };
  const { asked } = opened("range=24h", {
    "GET /api/v1/timings/capacity": ({ path }) => json(aCapacity(path.includes("rate=6") ? { answer: faster } : {})),
  });
  const capacity = await panel("Capacity");
  expect(await capacity.findByText("This gateway saturates near 38.4 a second at this mix.")).toBeTruthy();
  expect(
    capacity.getByText(
      /The busiest hour, which began on 23 Nov 2026, .*, had 12 a second\. That is 31 % of the saturation\./,
    ),
  ).toBeTruthy();
  expect(capacity.getByText("Only 3 transfers were measured.")).toBeTruthy();
  expect(capacity.getByRole("slider", { name: "Document size" }).getAttribute("aria-valuetext")).toBe("270 KB");
  const entries = window.history.length;
  const rate = capacity.getByRole("textbox", { name: "Arrival rate, per second" });
  await user.clear(rate);
  await user.type(rate, "6");
  expect(await capacity.findByText("25 ms")).toBeTruthy();
  expect(capacity.getByRole("slider", { name: "Arrival rate" }).getAttribute("aria-valuetext")).toBe("6 a second");
  expect(asked.filter(({ path }) => path.includes("/capacity")).at(-1)?.path).toMatch(/rate=6$/);
  await waitFor(() => expect(window.location.search).toBe("?range=24h&if=rate-6"));
  // A slider moves often: it makes no entries.
  expect(window.history.length).toBe(entries);
  await user.click(capacity.getByRole("button", { name: "As measured" }));
  expect(await capacity.findByText("30 ms")).toBeTruthy();
  await user.click(capacity.getByRole("button", { name: "Table: Capacity" }));
  expect(cellsOf(capacity.getByRole("table", { name: "Measured periods" }))[3]).toEqual(["12", "38 ms", "43,200"]);
});

test("capacity: a size has the unit that fits, which stays while somebody types", async () => {
  const user = userEvent.setup();
  const { asked } = aCapacity();
  opened("range=24h", { "GET /api/v1/timings/capacity": json(aCapacity({ asked: { ...asked, document_bytes: 9 } })) });
  const capacity = await panel("Capacity");
  const field = await capacity.findByRole<HTMLInputElement>("textbox", { name: "Document size, bytes" });
  expect(field.value).toBe("9");
  await user.clear(field);
  await user.type(field, "1500000");
  expect(capacity.getByRole("slider", { name: "Document size" }).getAttribute("aria-valuetext")).toBe("1.5 MB");
  expect([field.value, field.getAttribute("aria-label")]).toEqual(["1500000", "Document size, bytes"]);
  await user.tab();
  expect([field.value, field.getAttribute("aria-label")]).toEqual(["1.5", "Document size, MB"]);
});

test("capacity: slow rates keep their figures, and a model with one server is shown once", async () => {
  const user = userEvent.setup();
  const [one] = aCapacity().models;
  opened("range=24h", {
    "GET /api/v1/timings/capacity": json(
      aCapacity({
        measured: [
          [0.00139, 26, 5],
          [0.00178, 38, 6],
        ],
        models: one ? [one, { ...one, name: "several-servers" }] : [],
      }),
    ),
  });
  const capacity = await panel("Capacity");
  expect(await capacity.findByText("A model with more servers does not fit better.")).toBeTruthy();
  expect(capacity.getAllByText(/error 9 %/).map(({ textContent }) => textContent)).toEqual([
    "One server: 26 ms for a transfer, saturated at 38.4 a second; error 9 %.",
  ]);
  await user.click(capacity.getByRole("button", { name: "Table: Capacity" }));
  expect(
    cellsOf(capacity.getByRole("table", { name: "Measured periods" }))
      .slice(1)
      .map(([rate]) => rate),
  ).toEqual(["0.00139", "0.00178"]);
});
