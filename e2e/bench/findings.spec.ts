/**
 * How soon the findings follow the last key. As `ui.spec.ts` is, a measurement and no test; its samples go to
 * results/findings-bench.json.
 */
import type { Page } from "@playwright/test";
import { makeDraft } from "../fixtures/seed.ts";
import { test } from "../fixtures/test.ts";
import { longText } from "./documents.ts";
import { median, percentile, table } from "./figures.ts";
import { keepMeasured } from "./openings.ts";
import { goToMiddle, install, settle, TEXT, untilChanged } from "./probe.ts";

const SIZES = { "100 KB": 100_000, "1 MB": 1_000_000 } as const;
const SPANS = 100;
const WORDS = 20;
const COUNT = "[data-findings]";

/** All samples of one document, milliseconds from the last key to the frame that shows the finding. */
type Samples = { size: string; follows: number[] };

const measured: { conditions?: object; documents: Samples[] } = { documents: [] };

keepMeasured("findings-bench.json", measured);

test.afterAll(() => {
  const rows = measured.documents.map(({ size, follows }) => ({
    size,
    p50: median(follows),
    p95: percentile(follows, 0.95),
    longest: Math.max(...follows),
  }));
  process.stdout.write(table("A finding after the last key, ms", rows));
});

/** A word that no other part of the text has. */
const word = (index: number) => `quartz${index}way`;

for (const [size, bytes] of Object.entries(SIZES)) {
  test(`findings in ${size}`, async ({ people, open }) => {
    const anna = await people.author();
    const marked = Array.from({ length: WORDS }, (_, index) => `<$S>${word(index)}<$E>`).join(" ");
    const text = `${marked}\n${longText(bytes, "80-character lines", SPANS)}`;
    const { id } = await makeDraft(anna, `${size}.txt`, text);
    const page = await open(anna, "/account");
    await install(page);
    await page.goto(`/documents/${id}`);
    await page.locator(TEXT).first().waitFor();
    await page.locator(COUNT).waitFor();
    await goToMiddle(page);
    const follows: number[] = [];
    for (let index = 0; index < WORDS; index++) follows.push(await untilFound(page, word(index)));
    measured.documents.push({ size, follows });
  });
}

/** Types a word that is marked elsewhere, as a person does: key after key. */
async function untilFound(page: Page, typed: string): Promise<number> {
  await page.keyboard.type(` ${typed.slice(0, -1)}`, { delay: 60 });
  const took = await untilChanged(page, COUNT, () => page.keyboard.press(typed.slice(-1)));
  await page.keyboard.press("Space");
  await settle(page);
  return took;
}
