/** Each part of the page of timings without a mouse: its chart, its table and its downloads, in both themes. */
import type { Page } from "@playwright/test";
import { expectAccessible } from "../fixtures/page-checks.ts";
import { expect, test } from "../fixtures/test.ts";
import { answerTimings, EVERYTHING } from "../fixtures/timings.ts";

const BOTH = ["light", "dark"] as const;

/** Each panel, what in it takes the focus besides its buttons, its tables, and a row of one of them. */
const PANELS: Readonly<Record<string, { focus: string[]; tables: string[]; row: RegExp }>> = {
  "At a glance": { focus: [], tables: ["All figures"], row: /^Transfers\s*250\s*250$/ },
  "What stands out": {
    focus: ["Show only bravo: 12 of 40 attempts to bravo did not deliver"],
    tables: ["What stands out"],
    row: /12\s*40\s*1\s*44/,
  },
  "Durations over time": {
    focus: ["Cells of the heatmap"],
    tables: ["Response over time", "Cells of the heatmap"],
    row: /80 ms to 160 ms/,
  },
  "Where time goes": { focus: ["Waiting", "Equal lengths"], tables: ["The mean time of each phase"], row: /30 ms/ },
  "Modes compared": {
    focus: ["Modes by size and share classified"],
    tables: ["Improvement by size and share classified", "Break-even", "The planner"],
    row: /\+34 %\s*\+28 to \+40 %/,
  },
  "Every transfer": {
    focus: ["Zoom in", "Move with the arrow keys, zoom with + and −. The table has the transfers in view."],
    tables: ["The transfers in view"],
    row: /124 ms/,
  },
  "Queue and peers": {
    focus: ["Transfer to bravo"],
    tables: ["Now", "Transfers over time", "Deadlines within an hour", "Peers"],
    row: /^Waiting\s*1,000,000$/,
  },
  Capacity: {
    focus: ["Arrival rate", "Plain channels"],
    tables: ["What if", "An attempt without a queue", "Curves of the models"],
    row: /^Mean total time\s*30 ms$/,
  },
};

/** Presses Tab until the end of the page. What took the focus, by panel; `act` is called at each. */
async function walk(page: Page, act?: (name: string) => Promise<void>): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    scrollTo(0, 0);
  });
  for (let steps = 0; steps < 400; steps++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const here = document.activeElement;
      if (!here || here === document.body) return null;
      const title = here.closest("section[id^=panel-]")?.querySelector("h2")?.textContent ?? "";
      const [label] = (here as HTMLInputElement).labels ?? [];
      const by = here.getAttribute("aria-labelledby");
      const name =
        here.getAttribute("aria-label") ?? (by && document.getElementById(by)?.textContent) ?? label?.textContent;
      return { title, name: name ?? here.textContent ?? "" };
    });
    if (at === null) return found;
    found.set(at.title, [...(found.get(at.title) ?? []), at.name]);
    await act?.(at.name);
  }
  throw new Error("the focus goes on and on");
}

test("every chart and every table is reached by keyboard, and has no violation in either theme", async ({
  people,
  open,
}) => {
  const page = await open(await people.admin(), "/account");
  await answerTimings(page, EVERYTHING);
  await page.goto("/admin/timings?range=24h");
  for (const title of Object.keys(PANELS)) {
    await expect(page.getByRole("link", { name: `CSV: ${title}` })).toBeVisible();
  }

  await test.step("charts", async () => {
    const found = await walk(page);
    for (const [title, { focus }] of Object.entries(PANELS)) {
      const buttons = ["Table", "CSV", "JSON"].map((name) => `${name}: ${title}`);
      expect(found.get(title), title).toEqual(expect.arrayContaining([...buttons, ...focus]));
    }
    for (const title of ["Durations over time", "Every transfer", "Queue and peers", "Capacity"]) {
      const chart = page.getByRole("region", { name: title, exact: true }).getByRole("img").first();
      await expect(chart).toHaveAccessibleName(/\d/);
    }
    await expectAccessible(page, BOTH);
  });

  await test.step("tables", async () => {
    const found = await walk(page, async (name) => {
      if (name.startsWith("Table: ")) await page.keyboard.press("Enter");
    });
    for (const [title, { tables, row }] of Object.entries(PANELS)) {
      expect(found.get(title), title).toEqual(expect.arrayContaining(tables));
      const rows = page.getByRole("region", { name: title, exact: true }).getByRole("row");
      expect(await rows.allInnerTexts(), title).toContainEqual(expect.stringMatching(row));
    }
    await expectAccessible(page, BOTH);
  });

  await test.step("a page of a long table", async () => {
    const points = page.getByRole("region", { name: "Every transfer", exact: true });
    await points.getByRole("button", { name: "Next" }).press("Enter");
    await expect(points.getByText("Rows 101 to 120 of 120. The CSV file has all.")).toBeVisible();
  });
});
