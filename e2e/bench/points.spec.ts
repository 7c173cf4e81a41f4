/**
 * How soon 100,000 transfers are drawn as points, and how they follow the pointer. As `ui.spec.ts` is, a measurement and
 * no test; its samples go to results/points-bench.json. The points are made up here: no gateway computes them.
 */
import type { Page } from "@playwright/test";
import { expect, test } from "../fixtures/test.ts";
import { answerTimings, EVERYTHING } from "../fixtures/timings.ts";
import { median, percentile, table } from "./figures.ts";
import { keepMeasured } from "./openings.ts";
import { install, settle } from "./probe.ts";

const COUNT = 100_000;
const LOADS = 3;
const TIMES = 10;
const STEPS = 120;
const SURFACE = { name: /^Move with the arrow keys/ };

type Samples = { load: number[]; draw: number[]; pan: number[]; pan_near: number[]; drawn_while_panning: number };
const measured: { conditions?: object; points?: Samples } = {};

declare global {
  interface Window {
    /** When points were drawn on a canvas, and by which one it resolves next. */
    drawn: { count: number; next: () => Promise<void> };
  }
}

keepMeasured("points-bench.json", measured);

test.afterAll(() => {
  if (!measured.points) return;
  const { load, draw, pan, pan_near, drawn_while_panning } = measured.points;
  const row = (what: string, samples: number[]) => ({
    what,
    p50: median(samples),
    p95: percentile(samples, 0.95),
    longest: Math.max(...samples),
    samples: samples.length,
  });
  const rows = [
    row("load and draw", load),
    row("draw on the other axis", draw),
    row("a frame while panning over four fifths", pan),
    row("a frame while panning, zoomed in to a fifteenth", pan_near),
  ];
  process.stdout.write(
    table(`${COUNT} points, ms; ${drawn_while_panning} drawings while panning over four fifths`, rows),
  );
});

/**
 * In the page, before it loads: answers for points with so many, whose sizes and times are spread as on a busy gateway.
 * The text is ready, so that what is measured begins with reading it.
 */
function answerPoints(count: number): void {
  let seed = 1;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const scattered = () => next() + next() + next() - 1.5;
  const rows = Array.from({ length: count }, (_, row) => {
    const size = Math.round(10 ** (5 + 1.5 * scattered()));
    return { row, size, share: next(), ms: 10 ** (1.2 + Math.log10(size) / 8 + 0.7 * scattered()) };
  });
  const text = JSON.stringify({
    of: count,
    count,
    transfer_id: rows.map(({ row }) => row.toString(16).padStart(32, "0")),
    direction: rows.map(({ row }) => (row % 3 ? "sent" : "received")),
    at: rows.map(({ row }) => new Date(1_795_000_000_000 + row * 800).toISOString()),
    size: rows.map(({ size }) => size),
    classified_size: rows.map(({ size, share }) => Math.round(size * share)),
    response_ms: rows.map(({ ms }) => Math.round(ms * 1000) / 1000),
    mode: rows.map(({ row }) => (row % 4 ? "sieve" : "secure-only")),
  });
  const { fetch } = window;
  window.fetch = (asked, options) => {
    const url = asked instanceof Request ? asked.url : String(asked);
    if (!url.includes("/timings/points?")) return fetch(asked, options);
    return Promise.resolve(new Response(text, { headers: { "Content-Type": "application/json" } }));
  };
}

/** Notices each drawing of points: nothing else on the page strokes a path. */
function noticeDrawings(): void {
  const { stroke } = CanvasRenderingContext2D.prototype;
  const waiting: (() => void)[] = [];
  window.drawn = { count: 0, next: () => new Promise((resolve) => waiting.push(resolve)) };
  CanvasRenderingContext2D.prototype.stroke = function (this: CanvasRenderingContext2D, ...path: [] | [Path2D]) {
    Reflect.apply(stroke, this, path);
    if (!(this.canvas.getAttribute("aria-label") ?? "").includes("by s")) return;
    window.drawn.count += 1;
    for (const resolve of waiting.splice(0)) resolve();
  } as typeof stroke;
}

/** Milliseconds from the click until the points are drawn and painted. */
function untilDrawn(page: Page, group: string, name: string): Promise<number> {
  const button = page.getByRole("group", { name: group, exact: true }).getByRole("button", { name, exact: true });
  return button.evaluate(async (button: HTMLElement) => {
    const start = performance.now();
    const drawn = window.drawn.next();
    button.click();
    await drawn;
    return (await window.probe.frame()) - start;
  });
}

/** Drags the points to and fro; milliseconds from each frame to the next. */
async function pan(page: Page): Promise<number[]> {
  const box = await page.getByRole("group", SURFACE).boundingBox();
  if (!box) throw new Error("there are no points to drag");
  const frames = await page.evaluateHandle(() => {
    const found = { times: [] as number[], going: true };
    const next = (before: number) =>
      requestAnimationFrame((now) => {
        found.times.push(now - before);
        if (found.going) next(now);
      });
    requestAnimationFrame(next);
    return found;
  });
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; step < STEPS; step++) {
    const part = Math.sin((step / STEPS) * 4 * Math.PI);
    await page.mouse.move(x + (part * box.width) / 3, y + (part * box.height) / 4);
  }
  await page.mouse.up();
  return frames.evaluate((found) => {
    found.going = false;
    return found.times;
  });
}

test("100,000 points", async ({ people, open }) => {
  const page = await open(await people.admin(), "/account");
  await install(page, "body");
  await page.addInitScript(noticeDrawings);
  await page.addInitScript(answerPoints, COUNT);
  await answerTimings(page, EVERYTHING);
  const load: number[] = [];
  for (let times = 0; times < LOADS; times++) {
    await page.goto("/admin/timings?range=24h");
    await expect(page.getByRole("img", { name: /^100,000 transfers by size/ })).toBeVisible();
    await settle(page);
    // Another range loads every part of the page; the points come at once. The page knows none of these ranges yet.
    for (const range of ["Week", "30 days", "Hour"]) {
      load.push(await untilDrawn(page, "Time range", range));
      await settle(page);
    }
  }
  const draw: number[] = [];
  for (let times = 0; times < TIMES; times++) {
    draw.push(await untilDrawn(page, "Horizontal axis", times % 2 ? "By size" : "By share classified"));
    await settle(page);
  }
  await page.getByRole("group", SURFACE).scrollIntoViewIfNeeded();
  await page.getByRole("group", SURFACE).press("+");
  await settle(page);
  const before = await page.evaluate(() => window.drawn.count);
  const over_all = await pan(page);
  const drawn_while_panning = (await page.evaluate(() => window.drawn.count)) - before;
  for (let times = 0; times < 11; times++) await page.keyboard.press("+");
  await settle(page);
  measured.points = { load, draw, pan: over_all, pan_near: await pan(page), drawn_while_panning };
});
