/**
 * How quick the pages are, measured in the product as it is served: real gateways, a real browser. A measurement, not a
 * test: it fails if something cannot be measured, never for being slow. Prints tables, and writes results/ui-bench.json
 * with all samples. What was measured, where and when, is in docs/benchmarks/ui.md.
 */
import type { Page } from "@playwright/test";
import type { Person } from "../fixtures/people.ts";
import { makeDraft, send } from "../fixtures/seed.ts";
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
import { Parts } from "./parts.ts";
import { goToMiddle, install, settle, TEXT, type, untilChanged } from "./probe.ts";

const SPANS = [0, 1000];
const KEYS = 100;
const FOLLOWED = 10;
const ALL_MARKED = 3;

const SPAN_COUNT = "aside [data-marks]";
const PLAIN_TEXT = "section[aria-labelledby='eavesdropper']";

/** All samples of one document, milliseconds. */
type Samples = Openings & {
  key: number[];
  span_list: number[];
  mark_all: number[];
  undo_mark_all: number[];
  key_beside_eavesdropper: number[];
  eavesdropper: number[];
};

const measured: { conditions?: object; bundles?: object[]; documents: Samples[] } = { documents: [] };

keepMeasured("ui-bench.json", measured);

test.afterAll(() => {
  const { documents } = measured;
  process.stdout.write(table("Opening, and marking all of it, ms (medians)", documents.map(openingRow)));
  process.stdout.write(table("Typing and what follows it, ms", documents.map(typingRow)));
});

test("bundles", async ({ people, open, visit, pair }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const draft = await makeDraft(anna, "small.txt", "A <$S>small<$E> text.");
  await send(anna, draft, bruno);
  // At first pages that load nothing of the program.
  const [anonymous, writing, reading] = await Promise.all([
    visit(pair.alpha, "/healthz"),
    open(anna, "/healthz"),
    open(bruno, "/healthz"),
  ]);
  const small = (page: Page) => page.getByRole("link", { name: "small.txt" });
  const sendButton = writing.getByRole("button", { name: "Send", exact: true });
  const parts = new Parts();
  await parts.weigh("signing in", anonymous, () => anonymous.goto("/sign-in"), anonymous.getByLabel("Login"));
  await parts.weigh("documents", writing, () => writing.goto("/documents"), small(writing));
  await parts.weigh("the editor", writing, () => small(writing).click(), writing.locator(TEXT));
  await parts.weigh("sending", writing, () => sendButton.click(), writing.getByRole("dialog"));
  await parts.weigh("the inbox", reading, () => reading.goto("/inbox"), small(reading));
  await parts.weigh("reading", reading, () => small(reading).click(), reading.getByText("Details"));
  measured.bundles = parts.rows;
  process.stdout.write(table("KB on the wire, each in addition to those above", parts.rows));
});

eachDocument(SPANS, (shape, spans) => {
  test(`a megabyte: ${shape}, ${spans} spans`, async ({ people, open }) => {
    const anna = await people.author();
    const page = await open(anna, "/account");
    await install(page);
    // The browser has the program by then, as it has in daily use.
    await page.goto(`/documents/${(await makeDraft(anna, "warm.txt", "Warm.")).id}`);
    await page.locator(TEXT).waitFor();
    measured.documents.push(await measure(page, anna, shape, spans));
  });
});

async function measure(page: Page, anna: Person, shape: Shape, spans: number): Promise<Samples> {
  const name = `${shape}, ${spans} spans.txt`;
  const { id } = await makeDraft(anna, name, longText(1_000_000, shape, spans));
  const opened = await openAgainAndAgain(page, { id, name }, TEXT);

  await goToMiddle(page);
  const key = await type(page, KEYS);
  await settle(page);
  const span_list: number[] = [];
  for (let times = 0; times < FOLLOWED; times++) {
    // The word at the cursor: marked, and unmarked again.
    span_list.push(await untilChanged(page, SPAN_COUNT, () => page.keyboard.press("Control+Shift+S")));
    await settle(page);
  }

  const mark_all: number[] = [];
  const undo_mark_all: number[] = [];
  for (let times = 0; times < ALL_MARKED; times++) {
    await page.keyboard.press("Control+A");
    await settle(page);
    mark_all.push(await untilChanged(page, SPAN_COUNT, () => page.keyboard.press("Control+Shift+S")));
    await settle(page);
    undo_mark_all.push(await untilChanged(page, SPAN_COUNT, () => page.keyboard.press("Control+Z")));
    await settle(page);
  }

  await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  await settle(page);
  await goToMiddle(page);
  const eavesdropper: number[] = [];
  for (let times = 0; times < FOLLOWED; times++) {
    eavesdropper.push(await untilChanged(page, PLAIN_TEXT, () => page.keyboard.press("x")));
    await settle(page);
  }
  const key_beside_eavesdropper = await type(page, KEYS);
  await page.locator("[data-save=saved]").waitFor();
  return {
    shape,
    spans,
    ...opened,
    key,
    span_list,
    mark_all,
    undo_mark_all,
    key_beside_eavesdropper,
    eavesdropper,
  };
}

const openingRow = (samples: Samples) => ({
  ...whichColumns(samples),
  ...listColumns(samples),
  ...addressColumns(samples),
  "mark all": median(samples.mark_all),
  "undo that": median(samples.undo_mark_all),
});

const typingRow = (samples: Samples) => ({
  ...whichColumns(samples),
  "key p50": median(samples.key),
  p95: percentile(samples.key, 0.95),
  "span list": median(samples.span_list),
  "eavesdropper's view": median(samples.eavesdropper),
  "key beside it p50": median(samples.key_beside_eavesdropper),
  "p95 ": percentile(samples.key_beside_eavesdropper, 0.95),
});
