/**
 * How quick a text of ten megabytes is, in the view that is chosen for one: opening, typing, marking, scrolling. As
 * `ui.spec.ts` is, a measurement and no test; its samples go to results/long-text-bench.json.
 */
import type { Page } from "@playwright/test";
import type { Person } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { test } from "../fixtures/test.ts";
import { longText, SHAPES, type Shape } from "./documents.ts";
import { conditions, keep, median, percentile, table } from "./figures.ts";
import { install, LONG_TEXT, processorTime, scroll, settle, type, untilChanged, untilShown } from "./probe.ts";

const BYTES = 10_000_000;
const SPANS = [0, 10_000];
const OPENINGS = 5;
const KEYS = 200;
const MARKED = 10;
const SCROLLED_MS = 5000;
/** By frame: a page in a third of a second, and right through the document. */
const SPEEDS = { reading: 30, dragging: 20_000 } as const;

const SPAN_COUNT = "[data-spans]";
const HOST = "[data-long-text]";

// A trace would be measured, too.
test.use({ trace: "off", screenshot: "off" });

/** All samples of one document, milliseconds. */
type Samples = {
  shape: Shape;
  spans: number;
  open_from_list: number[];
  open_by_address: number[];
  key: number[];
  mark: number[];
  frame_reading: number[];
  frame_dragging: number[];
  /** Of the page's main thread. */
  open_processor: number[];
  key_processor: number;
};

const measured: { conditions?: object; documents: Samples[] } = { documents: [] };

test.beforeEach(({ browser }) => {
  measured.conditions ??= conditions(`Chromium ${browser.version()}`);
});

test.afterEach(() => keep("long-text-bench.json", measured));

test.afterAll(() => {
  process.stdout.write(table("A text of 10 MB: opening and typing, ms", measured.documents.map(openingRow)));
  process.stdout.write(table("A text of 10 MB: frames while it is scrolled, ms", measured.documents.map(scrollingRow)));
});

for (const shape of Object.keys(SHAPES) as Shape[]) {
  for (const spans of SPANS) {
    test(`ten megabytes: ${shape}, ${spans} spans`, async ({ people, open }) => {
      const anna = await people.author();
      const page = await open(anna, "/account");
      await install(page, LONG_TEXT);
      measured.documents.push(await measure(page, anna, shape, spans));
    });
  }
}

async function measure(page: Page, anna: Person, shape: Shape, spans: number): Promise<Samples> {
  const name = `${shape}, ${spans} spans.txt`;
  const { id } = await makeDraft(anna, name, longText(BYTES, shape, spans));
  const text = page.getByRole("textbox", { name: "Text of the document" });
  // The browser has the program by then, as it has in daily use.
  await page.goto(`/documents/${id}`);
  await text.waitFor();
  const open_from_list: number[] = [];
  const open_by_address: number[] = [];
  const open_processor: number[] = [];
  for (let times = 0; times < OPENINGS; times++) {
    await page.goto("/documents");
    const link = page.getByRole("link", { name });
    await link.waitFor();
    await settle(page);
    const opened = async () => open_from_list.push(await untilShown(page, LONG_TEXT, () => link.click()));
    open_processor.push(await processorTime(page, opened));
    await page.goto(`/documents/${id}`);
    open_by_address.push(await page.evaluate(() => window.probe.firstText));
    await settle(page);
  }

  const frame_reading = await scroll(page, HOST, ".cm-scroller", SPEEDS.reading, SCROLLED_MS);
  const frame_dragging = await scroll(page, HOST, ".cm-scroller", SPEEDS.dragging, SCROLLED_MS);
  await scroll(page, HOST, ".cm-scroller", -4 * SPEEDS.dragging, SCROLLED_MS / 4);
  await settle(page);

  const box = await text.boundingBox();
  const sheet = await page.locator(HOST).boundingBox();
  if (!box || !sheet) throw new Error("the text of the document is not to be seen");
  await page.mouse.click(box.x + box.width / 3, sheet.y + sheet.height / 2);
  await settle(page);
  let key: number[] = [];
  const typed = await processorTime(page, async () => {
    key = await type(page, KEYS);
  });
  await settle(page);
  const mark: number[] = [];
  for (let times = 0; times < MARKED; times++) {
    // The word at the cursor: marked, and unmarked again.
    mark.push(await untilChanged(page, SPAN_COUNT, () => page.keyboard.press("Control+Shift+S")));
    await settle(page);
  }
  await page.locator("[data-save=saved]").waitFor();
  const key_processor = typed / KEYS;
  return {
    shape,
    spans,
    open_from_list,
    open_by_address,
    key,
    mark,
    frame_reading,
    frame_dragging,
    open_processor,
    key_processor,
  };
}

const openingRow = (samples: Samples) => ({
  shape: samples.shape,
  spans: String(samples.spans),
  "from the list": median(samples.open_from_list),
  slowest: Math.max(...samples.open_from_list),
  processor: median(samples.open_processor),
  "by its address": median(samples.open_by_address),
  "slowest ": Math.max(...samples.open_by_address),
  "key p50": median(samples.key),
  p95: percentile(samples.key, 0.95),
  "processor ": samples.key_processor,
  "mark a word": median(samples.mark),
});

const scrollingRow = ({ shape, spans, frame_reading, frame_dragging }: Samples) => ({
  shape,
  spans: String(spans),
  "reading p50": median(frame_reading),
  p95: percentile(frame_reading, 0.95),
  longest: Math.max(...frame_reading),
  "dragging p50": median(frame_dragging),
  "p95 ": percentile(frame_dragging, 0.95),
  "longest ": Math.max(...frame_dragging),
});
