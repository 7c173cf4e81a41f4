/** An admin looks at how long transfers take, finds the slow ones, and finds out why. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { threeOffices } from "../fixtures/office.ts";
import { expectAccessible, expectNoSidewaysScroll, expectToFitPhone, phone } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";
import { answerTimings, MUCH, NAMES } from "../fixtures/timings.ts";
import { fingerDown } from "../fixtures/touch-drag.ts";

const BOTH = ["light", "dark"] as const;
const PATH = "/admin/timings";

type Summary = { progress: { rolled_up: boolean }; current: { transfers: number } };

const panel = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
const cells = (page: Page): Locator => page.getByRole("button", { name: "Cells of the heatmap" });
/** The figure of a tile of the headline. */
const figure = (page: Page, name: string): Locator =>
  panel(page, "At a glance").locator("dl > div").filter({ hasText: name }).locator("dd").first();

async function sendText(author: Person, recipient: Person): Promise<void> {
  await delivered(author, await send(author, await makeDraft(author, "berths.txt", "Berth <$S>3<$E>.\n"), recipient));
}

/** How many transfers of the last hour are in the figures, once all are. */
async function counted(admin: Person): Promise<number> {
  let summary: Summary | undefined;
  const since = new Date(Date.now() - 3_600_000).toISOString();
  await expect
    .poll(async () => {
      summary = await admin.api<Summary>("GET", "/timings/summary", { query: { since } });
      return summary.progress.rolled_up;
    })
    .toBe(true);
  return summary?.current.transfers ?? 0;
}

/** Whether the page shows as many transfers as the API counts now. */
async function isCounted(page: Page, admin: Person): Promise<boolean> {
  return (await figure(page, "Transfers").textContent()) === String(await counted(admin));
}

async function filter(page: Page, name: string, choice: string): Promise<void> {
  await page.getByRole("combobox", { name, exact: true }).click();
  await page.getByRole("option", { name: choice, exact: true }).click();
}

test("figures of real transfers: filters, zoom, the transfers of a cell, the table, its CSV, a restart", async ({
  people,
  open,
  pair,
  guard,
}) => {
  const [ada, anna, bruno] = await Promise.all([people.admin(), people.author(), people.cleared()]);
  for (let n = 0; n < 2; n++) await sendText(anna, bruno);
  const before = await counted(ada);
  const page = await open(ada, PATH);
  const over = panel(page, "Durations over time");

  await test.step("the page opens the shortest range, and updates itself", async () => {
    await expect(page).toHaveURL(`${PATH}?range=1h`);
    await expect.poll(() => isCounted(page, ada)).toBe(true);
    await cells(page).focus();
    await page.keyboard.press("ArrowLeft");
    await sendText(anna, bruno);
    await expect.poll(() => counted(ada)).toBeGreaterThan(before);
    await expect.poll(() => isCounted(page, ada)).toBe(true);
    await expect(cells(page)).toBeFocused();
    await expectAccessible(page, BOTH);
  });

  await test.step("filters are in the address", async () => {
    await filter(page, "Peer", "bravo");
    await filter(page, "Direction", "Received");
    await expect(page).toHaveURL(`${PATH}?range=1h&peer=bravo&direction=received`);
    await expect(page.getByText("No transfers in this time range with these filters")).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(`${PATH}?range=1h&peer=bravo`);
  });

  await test.step("a cell lists its transfers, and each leads to its page", async () => {
    await cells(page).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Response of / });
    await expect(dialog.getByRole("link", { name: /^To bravo/ }).first()).toBeVisible();
    await expectAccessible(page);
    await dialog
      .getByRole("link", { name: /^To bravo/ })
      .first()
      .click();
    await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(`${PATH}?range=1h&peer=bravo`);
  });

  await test.step("dragging across the chart zooms, and back zooms out", async () => {
    const box = await cells(page).boundingBox();
    if (!box) throw new Error("the chart has no size");
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width, box.y + 40, { steps: 3 });
    await page.mouse.up();
    await expect(page).toHaveURL(/\?peer=bravo&since=.*&until=/);
    await expect(page.getByLabel("From", { exact: true })).not.toHaveValue("");
    await expect(cells(page)).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(`${PATH}?range=1h&peer=bravo`);
  });

  await test.step("the table and the CSV have the numbers of the chart", async () => {
    await over.getByRole("button", { name: "Table: Durations over time" }).click();
    const rows = over.getByRole("table", { name: "Response over time" }).locator("tbody tr");
    await expect(rows.first()).toBeVisible();
    const shown = await rows.locator("td:nth-of-type(1)").allTextContents();
    await expectAccessible(page);
    const downloading = page.waitForEvent("download");
    await over.getByRole("link", { name: "CSV: Durations over time" }).click();
    const [head = "", ...lines] = (await readFile(await (await downloading).path(), "utf8")).trim().split(/\r?\n/);
    const at = head.split(",").indexOf("count");
    const sent = lines.map((line) => line.split(",")[at]).filter((count) => count !== "0");
    expect(sent).toEqual(shown);
  });

  await test.step("the sliders of the capacity, and the tables, by keyboard", async () => {
    const rate = panel(page, "Capacity").getByRole("slider", { name: "Arrival rate" });
    const measured = await rate.getAttribute("aria-valuetext");
    await rate.focus();
    await page.keyboard.press("PageUp");
    await expect(rate).not.toHaveAttribute("aria-valuetext", measured ?? "");
    await expect(page).toHaveURL(/[?&]if=rate-/);
    await expect(rate).toBeFocused();
    for (const title of ["Modes compared", "Queue and peers", "Capacity"]) {
      await panel(page, title)
        .getByRole("button", { name: `Table: ${title}` })
        .press("Enter");
      await expect(panel(page, title).getByRole("table").first()).toBeVisible();
    }
    await expectAccessible(page, BOTH);
    await page.goBack();
  });

  await test.step("while the gateway restarts the page says so, and then it goes on by itself", async () => {
    guard.allowOutage(pair.alpha.url);
    await pair.alpha.stop();
    await expect(page.getByText("The gateway does not answer. These figures are from")).toBeVisible();
    await expect(figure(page, "Transfers")).toBeVisible();
    await pair.alpha.startAgain();
    await expect(page.getByText("The gateway does not answer.")).toHaveCount(0);
    await sendText(anna, bruno);
    await expect.poll(() => isCounted(page, ada)).toBe(true);
  });
});

test.describe("on a phone", () => {
  test.use(phone);

  test("nothing is wider than the screen, a tap opens a cell, and a finger zooms", async ({ people, open }) => {
    const [ada, anna, bruno] = await Promise.all([people.admin(), people.author(), people.cleared()]);
    await sendText(anna, bruno);
    await counted(ada);
    const page = await open(ada, `${PATH}?range=24h`);
    await expect(cells(page)).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
    await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Capacity" }).tap();
    await expect(panel(page, "Capacity")).toBeFocused();
    await expect(panel(page, "Capacity").getByRole("heading", { name: "Capacity" })).toBeInViewport();
    await page.getByRole("button", { name: "More filters" }).tap();
    await expect(page.getByRole("combobox", { name: "Cipher suite" })).toBeVisible();
    await cells(page).evaluate((chart) => chart.scrollIntoView({ block: "center" }));
    await cells(page).press("ArrowLeft");
    const frame = await cells(page).locator("xpath=../span[contains(@class, 'outline-ink')]").boundingBox();
    const box = await cells(page).boundingBox();
    if (!frame || !box) throw new Error("the chart shows no cell");
    expect(Math.min(frame.width, frame.height), "a finger can hit it").toBeGreaterThanOrEqual(24);
    await page.touchscreen.tap(frame.x + frame.width / 2, frame.y + frame.height / 2);
    const dialog = page.getByRole("dialog", { name: /^Response of / });
    await expect(dialog.getByRole("listitem").first()).toBeVisible();
    await expectNoSidewaysScroll(page);
    await dialog.getByRole("button", { name: "Close" }).tap();
    await expect(dialog).toHaveCount(0);
    const finger = await fingerDown(page, box.x + box.width / 2, box.y + box.height / 2);
    await finger.to(box.x + box.width * 0.75, box.y + box.height / 2);
    await finger.to(box.x + box.width - 1, box.y + box.height / 2);
    await finger.up();
    await expect(page).toHaveURL(/\?since=.*&until=/);
    await expect(cells(page)).toBeVisible();
    await expectNoSidewaysScroll(page);
  });

  test("500 peers with the longest names, and a full matrix, stay within the screen", async ({ people, open }) => {
    const [ada, anna, bruno] = await Promise.all([people.admin(), people.author(), people.cleared()]);
    await sendText(anna, bruno);
    await counted(ada);
    const page = await open(ada, "/admin/people");
    await answerTimings(page, MUCH);
    await page.goto(`${PATH}?range=1h&phases=peer`);
    const queue = panel(page, "Queue and peers");
    await expect(queue.getByText(NAMES[0] ?? "").first()).toBeVisible();
    await expect(panel(page, "Modes compared").getByText("34 % faster").first()).toBeVisible();
    await expect(
      panel(page, "Where time goes")
        .getByText(NAMES[0] ?? "")
        .first(),
    ).toBeVisible();
    await expect(panel(page, "Capacity").getByRole("slider").first()).toBeVisible();
    await expectNoSidewaysScroll(page);
    // Before all peers are shown, whose rows are no different: axe takes seconds for 500 of them.
    await expectAccessible(page, BOTH);
    await queue.getByRole("button", { name: "Show all 500" }).tap();
    await expect(queue.getByText(NAMES[499] ?? "").first()).toBeVisible();
    await expectNoSidewaysScroll(page);
  });
});

/** Milliseconds of a text such as `42.1 ms` or `1.97 s`. */
const msOf = (text: string): number => Number.parseFloat(text) * (text.endsWith(" ms") ? 1 : 1000);

/** How long data transfer took in that row of the table of phases. */
async function dataTransferMs(page: Page, row: string): Promise<number> {
  const table = page.getByRole("table", { name: "The mean time of each phase" });
  const names = await table.getByRole("columnheader").allTextContents();
  const cells = table.getByRole("row").filter({ has: page.getByRole("rowheader", { name: row, exact: true }) });
  return msOf((await cells.locator("th, td").nth(names.indexOf("Data transfer")).textContent()) ?? "");
}

threeOffices("an admin finds out that one peer's plain channel is slow", async ({ people, open, pair }) => {
  const [ada, anna, bruno, carla] = await Promise.all([
    people.admin(),
    people.author(),
    people.cleared(pair.bravo),
    people.cleared(pair.charlie),
  ]);
  // The gateway waits for the plain channel, for at least SIEVE_PLAIN_TIMEOUT_S, and then uses the secure one.
  pair.charlie.tap.stall();
  await sendText(anna, bruno);
  for (let n = 0; n < 3; n++) await sendText(anna, carla);
  const { document_id } = await makeDraft(anna, "tides.txt", "High at <$S>nine<$E>.\n");
  const tides = { document_id, peer: "charlie", recipients: [carla.name], mode: "secure-only" };
  await delivered(anna, (await anna.api<{ id: string }>("POST", "/transfers", { json: tides })).id);
  await counted(ada);
  const page = await open(ada, PATH);
  const standouts = panel(page, "What stands out");

  await test.step("the page says so first, with its numbers", async () => {
    const first = standouts.getByRole("listitem").first();
    await expect(first).toContainText("The plain channel to charlie fails or is too slow");
    await expect(first).toContainText("In 3 of 3 attempts over both channels.");
    await expect(standouts.getByText(/^The plain channel to bravo/)).toHaveCount(0);
    await expectAccessible(page, BOTH);
  });

  await test.step("its link leaves only these transfers, and the phases show what they cost", async () => {
    await standouts.getByRole("link", { name: /^Show only charlie: The plain channel to charlie/ }).click();
    await expect(page).toHaveURL(/[?&]peer=charlie&mode=sieve$/);
    await expect(panel(page, "Durations over time")).toBeFocused();
    await expect(figure(page, "Transfers")).toHaveText("3");
    const phases = panel(page, "Where time goes");
    await phases.getByRole("button", { name: "By peer" }).click();
    await phases.getByRole("button", { name: "Table: Where time goes" }).click();
    await expect(phases.getByRole("rowheader", { name: "charlie" })).toBeVisible();
    expect(await dataTransferMs(page, "charlie")).toBeGreaterThan(300);
    await cells(page).press("Enter");
    await page
      .getByRole("dialog")
      .getByRole("link", { name: /^To charlie/ })
      .first()
      .click();
    await expect(page.getByRole("heading", { name: "Delivered to charlie. Receipt checked." })).toBeVisible();
  });

  await test.step("and the list of peers has both, with latency and certificate", async () => {
    // The first answer may take a handshake, too: the second counts for the latency.
    for (const name of ["bravo", "charlie", "bravo", "charlie"]) await ada.api("POST", `/peers/${name}/test`);
    await page.getByRole("link", { name: "Peers", exact: true }).click();
    const peers = page.getByRole("table", { name: "2 peers at a glance" });
    for (const name of ["bravo", "charlie"])
      await expect(peers.getByRole("row", { name })).toContainText(/\d ms.*\d days left/);
    await expectAccessible(page);
    await expectToFitPhone(page);
  });
});
