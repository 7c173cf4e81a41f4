/**
 * How quick a text of ten megabytes is, in the view that is chosen for one: opening, typing, marking, scrolling. As
 * `ui.spec.ts` is, a measurement and no test; its samples go to results/long-text-bench.json.
 */
import type { Page } from "@playwright/test";
import type { Person } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { test } from "../fixtures/test.ts";
import { longText, type Shape } from "./documents.ts";
import { median, percentile, table } from "./figures.ts";
import {
  addressColumns,
  eachDocument,
  keepMeasured,
  listColumns,
  type Openings,
  openAgainAndAgain,
  whichColumns,
} from "./openings.ts";
import { install, LONG_TEXT, processorTime, scroll, settle, taskTimes, type, untilChanged } from "./probe.ts";

const BYTES = 10_000_000;
const SPANS = [0, 10_000];
const KEYS = 200;
const MARKED = 10;
const SCROLLED_MS = 5000;
/** By frame: a page in a third of a second, and right through the document. */
const SPEEDS = { reading: 30, dragging: 20_000 } as const;

/** The gateway rests as long as its last look took. */
const LOOK_MS = 60_000;

const SPAN_COUNT = "[data-marks]";
const HOST = "[data-long-text]";

/** All samples of one document, milliseconds. */
type Samples = Openings & {
  key: number[];
  mark: number[];
  frame_reading: number[];
  frame_dragging: number[];
  /** Of the page's main thread. */
  open_processor: number[];
  key_processor: number;
  /** Of each task of the main thread, from the first key until it is saved and looked through: those over 20 ms. */
  task_processor: number[];
};

const measured: { conditions?: object; documents: Samples[] } = { documents: [] };

keepMeasured("long-text-bench.json", measured);

test.afterAll(() => {
  process.stdout.write(table("A text of 10 MB: opening and typing, ms", measured.documents.map(openingRow)));
  process.stdout.write(table("A text of 10 MB: frames while it is scrolled, ms", measured.documents.map(scrollingRow)));
});

eachDocument(SPANS, (shape, spans) => {
  test(`ten megabytes: ${shape}, ${spans} spans`, async ({ people, open }) => {
    const anna = await people.author();
    const page = await open(anna, "/account");
    await install(page, LONG_TEXT);
    measured.documents.push(await measure(page, anna, shape, spans));
  });
});

async function measure(page: Page, anna: Person, shape: Shape, spans: number): Promise<Samples> {
  const name = `${shape}, ${spans} spans.txt`;
  const { id } = await makeDraft(anna, name, longText(BYTES, shape, spans));
  const text = page.getByRole("textbox", { name: "Text of the document" });
  // The browser has the program by then, as it has in daily use.
  await page.goto(`/documents/${id}`);
  await text.waitFor();
  const open_processor: number[] = [];
  const opened = await openAgainAndAgain(page, { id, name }, LONG_TEXT, async (opening) =>
    open_processor.push(await processorTime(page, opening)),
  );

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
  let typed = 0;
  const tasks = await taskTimes(page, async () => {
    typed = await processorTime(page, async () => {
      key = await type(page, KEYS);
    });
    await page.locator("[data-save=saved]").waitFor();
    // By itself the page has it checked then.
    await page.getByText(/check(s|ing) for leaks/i).waitFor({ state: "detached", timeout: LOOK_MS });
    await settle(page);
  });
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
    ...opened,
    key,
    mark,
    frame_reading,
    frame_dragging,
    open_processor,
    key_processor,
    task_processor: tasks.filter((ms) => ms > 20),
  };
}

const openingRow = (samples: Samples) => ({
  ...whichColumns(samples),
  ...listColumns(samples),
  processor: median(samples.open_processor),
  ...addressColumns(samples),
  "key p50": median(samples.key),
  p95: percentile(samples.key, 0.95),
  "processor ": samples.key_processor,
  "longest task": Math.max(0, ...samples.task_processor),
  "over 50 ms": samples.task_processor.filter((ms) => ms > 50).length,
  "mark a word": median(samples.mark),
});

const scrollingRow = (samples: Samples) => ({
  ...whichColumns(samples),
  "reading p50": median(samples.frame_reading),
  p95: percentile(samples.frame_reading, 0.95),
  longest: Math.max(...samples.frame_reading),
  "dragging p50": median(samples.frame_dragging),
  "p95 ": percentile(samples.frame_dragging, 0.95),
  "longest ": Math.max(...samples.frame_dragging),
});
