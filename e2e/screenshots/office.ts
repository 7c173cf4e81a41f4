/**
 * `test` for the screenshots of the docs: separate gateways for each story, so that people can have plain names, and a way
 * to take a screenshot.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { type Gateway, Gateways, START_MS } from "../fixtures/gateways.ts";
import { addPersonNamed, type Person } from "../fixtures/people.ts";
import { test as base, expect } from "../fixtures/test.ts";

const ROOT = dirname(dirname(import.meta.dirname));
const PICTURES = join(ROOT, "docs", "pictures");
const MOST_BYTES = 200_000;

/** The marked report of `make run`: five spans. */
export const SAMPLE = readFileSync(join(ROOT, "backend", "src", "sieve", "demo", "sample.md"), "utf8");

/** Two shorter documents: one with a span, one without. */
export const MINUTES = "Present: the harbour master, <$S>the captain of the survey ship<$E>, two of the council.\n";
export const TIDES = "High water on Monday at 04:12 and 16:40.\n";

/** A text with two findings. */
export const PILOTS = `The pilot is <$S>Ida Berg<$E>.
Ask for Mrs Berg at the pier; she knows the sandbank.
IDA BERG is relieved on Monday.
`;
/** A text, and the policy that marks it. */
export const MOVEMENTS = `The Heron leaves Pier 7 on Tuesday with the survey team.

The Blue Fox follows a day later. Questions go to the duty officer, duty@harbour.example, or to +44 20 7946 0018.

No other ship moves this week.
`;
export const SHIPS = {
  name: "ships",
  title: "Ships and where they lie",
  guard: true,
  rules: [
    { kind: "keywords", keywords: ["Heron", "Blue Fox"], reason: "A ship of ours" },
    { kind: "regex", pattern: "Pier \\d+", reason: "A berth" },
    { kind: "detector", detector: "email", reason: "How to reach somebody" },
    { kind: "detector", detector: "phone", reason: "How to reach somebody" },
  ],
};

/** Alpha and bravo, paired, and the people of `make run` with one more admin. */
export type Office = {
  readonly alpha: Gateway;
  readonly bravo: Gateway;
  readonly ada: Person;
  readonly anna: Person;
  readonly bruno: Person;
  readonly rosa: Person;
};

type Pictures = {
  /** Settings of both gateways, in addition to those of all stories. */
  settings: Readonly<Record<string, string>>;
  office: Office;
  /** Takes a screenshot of the window, or of a part of the page, as docs/pictures/NAME.png. */
  picture: (page: Page, name: string, part?: Locator) => Promise<void>;
};

export const test = base.extend<Pictures>({
  settings: [{}, { option: true }],

  office: [
    async ({ guard, settings }, use) => {
      const gateways = await Gateways.start("paired", settings);
      const { alpha, bravo } = gateways;
      for (const { url } of gateways.all) guard.belongs(url);
      const [ada, anna, bruno, rosa] = await Promise.all([
        addPersonNamed(alpha, "ada", "Ada", { is_admin: true }),
        addPersonNamed(alpha, "anna", "Anna", { is_author: true }),
        addPersonNamed(bravo, "bruno", "Bruno", { is_recipient: true, cleared: true }),
        addPersonNamed(bravo, "rosa", "Rosa", { is_recipient: true }),
      ]);
      await use({ alpha, bravo, ada, anna, bruno, rosa });
      await gateways.end();
    },
    { timeout: START_MS },
  ],

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from a pattern
  picture: async ({}, use) => {
    await use(async (page, name, part) => {
      await expect(page.getByText("Reconnecting…")).toBeHidden();
      await page.mouse.move(0, 0);
      const path = join(PICTURES, `${name}.png`);
      await page.screenshot(part ? { path, fullPage: true, clip: await placeOf(part, page) } : { path });
      expect(statSync(path).size, `${name}.png is small enough for a document`).toBeLessThan(MOST_BYTES);
    });
  },
});

const MARGIN = 24;

/** Where it is on the whole page, with a margin. */
async function placeOf(part: Locator, page: Page) {
  await page.evaluate(() => window.scrollTo(0, 0));
  const box = await part.boundingBox();
  if (!box) throw new Error("this part of the page is not visible");
  return { x: box.x - MARGIN, y: box.y - MARGIN, width: box.width + 2 * MARGIN, height: box.height + 2 * MARGIN };
}

export { expect };
