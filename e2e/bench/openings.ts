/** What is measured of every document, however long: how soon it is there, from the list and by its address. */
import type { Page } from "@playwright/test";
import { test } from "../fixtures/test.ts";
import { SHAPES, type Shape } from "./documents.ts";
import { conditions, keep, median } from "./figures.ts";
import { settle, untilShown } from "./probe.ts";

const OPENINGS = 5;

/** For the head of a file of measurements: after each of them, what was measured is kept with where and when. */
export function keepMeasured(file: string, measured: { conditions?: object }): void {
  // A trace would be measured, too.
  test.use({ trace: "off", screenshot: "off" });
  test.beforeEach(({ browser }) => {
    measured.conditions ??= conditions(`Chromium ${browser.version()}`);
  });
  test.afterEach(() => keep(file, measured));
}

/** Samples of one document, milliseconds. */
export type Openings = {
  shape: Shape;
  spans: number;
  open_from_list: number[];
  open_by_address: number[];
};

/** A measurement of each shape with each number of spans. */
export function eachDocument(spanCounts: readonly number[], measure: (shape: Shape, spans: number) => void): void {
  for (const shape of Object.keys(SHAPES) as Shape[]) {
    for (const spans of spanCounts) measure(shape, spans);
  }
}

/** Opens a document again and again until `text` shows it; `watch` runs each opening from the list. */
export async function openAgainAndAgain(
  page: Page,
  document: { id: string; name: string },
  text: string,
  watch: (opening: () => Promise<unknown>) => Promise<unknown> = (opening) => opening(),
): Promise<Pick<Openings, "open_from_list" | "open_by_address">> {
  const open_from_list: number[] = [];
  const open_by_address: number[] = [];
  for (let times = 0; times < OPENINGS; times++) {
    await page.goto("/documents");
    const link = page.getByRole("link", { name: document.name });
    await link.waitFor();
    await settle(page);
    await watch(async () => open_from_list.push(await untilShown(page, text, () => link.click())));
    await page.goto(`/documents/${document.id}`);
    open_by_address.push(await page.evaluate(() => window.probe.firstText));
    await settle(page);
  }
  return { open_from_list, open_by_address };
}

/** The columns that say which document it is. */
export const whichColumns = ({ shape, spans }: Openings) => ({ shape, spans: String(spans) });

/** The columns that say how soon it was there from the list; and by its address. */
export const listColumns = ({ open_from_list }: Openings) => ({
  "from the list": median(open_from_list),
  slowest: Math.max(...open_from_list),
});

export const addressColumns = ({ open_by_address }: Openings) => ({
  "by its address": median(open_by_address),
  "slowest ": Math.max(...open_by_address),
});
