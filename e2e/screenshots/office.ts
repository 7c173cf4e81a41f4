/**
 * `test` for the documents' pictures: gateways that are one picture story's own, so that people can have plain names, and
 * a way to take a picture.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "@playwright/test";
import { type Gateway, Gateways } from "../fixtures/gateways.ts";
import { addPersonNamed, type Person } from "../fixtures/people.ts";
import { test as base, expect } from "../fixtures/test.ts";

const ROOT = dirname(dirname(import.meta.dirname));
const PICTURES = join(ROOT, "docs", "pictures");
const MOST_BYTES = 180_000;

/** The marked report that `make run` begins with: five spans. */
export const SAMPLE = readFileSync(join(ROOT, "backend", "src", "sieve", "demo", "sample.md"), "utf8");

/** Two shorter documents: one with a span, one without. */
export const MINUTES = "Present: the harbour master, <$S>the captain of the survey ship<$E>, two of the council.\n";
export const TIDES = "High water on Monday at 04:12 and 16:40.\n";

/** Alpha and bravo, paired, and the people of `make run` with one admin more. */
export type Office = {
  readonly alpha: Gateway;
  readonly bravo: Gateway;
  readonly ada: Person;
  readonly anna: Person;
  readonly bruno: Person;
  readonly rosa: Person;
};

type Pictures = {
  office: Office;
  /** Takes what the window shows, as docs/pictures/NAME.png. */
  picture: (page: Page, name: string) => Promise<void>;
};

export const test = base.extend<Pictures>({
  office: [
    async ({ guard }, use) => {
      const gateways = await Gateways.start("paired");
      const { alpha, bravo } = gateways;
      for (const { url } of gateways.both) guard.belongs(url);
      const [ada, anna, bruno, rosa] = await Promise.all([
        addPersonNamed(alpha, "ada", "Ada", { is_admin: true }),
        addPersonNamed(alpha, "anna", "Anna", { is_author: true }),
        addPersonNamed(bravo, "bruno", "Bruno", { is_recipient: true, cleared: true }),
        addPersonNamed(bravo, "rosa", "Rosa", { is_recipient: true }),
      ]);
      await use({ alpha, bravo, ada, anna, bruno, rosa });
      await gateways.end();
    },
    { timeout: 120_000 },
  ],

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from a pattern
  picture: async ({}, use) => {
    await use(async (page, name) => {
      await expect(page.getByText("Reconnecting…")).toBeHidden();
      await page.mouse.move(0, 0);
      const path = join(PICTURES, `${name}.png`);
      await page.screenshot({ path });
      expect(statSync(path).size, `${name}.png is small enough for a document`).toBeLessThan(MOST_BYTES);
    });
  },
});

export { expect };
