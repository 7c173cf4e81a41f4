/**
 * Measures the editor with a megabyte in Chromium: `node bench/run.mjs`. One JSON object for each shape of document, in
 * milliseconds: from the marked text to the first frame, from a key to the frame that shows it, and bulk commands.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, preview } from "vite";
import { openPage } from "./browser.mjs";

const KEYS = 60;
const root = new URL(".", import.meta.url).pathname;
const outDir = mkdtempSync(join(tmpdir(), "sieve-bench-"));

const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
const round = (value) => Math.round(value * 10) / 10;

/** Milliseconds of processor time that the page's thread has taken; what else the machine does is not in it. */
async function cpu(page) {
  const { metrics } = await page.send("Performance.getMetrics");
  return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
}

await build({ root, configFile: false, logLevel: "error", build: { outDir, emptyOutDir: true } });
const server = await preview({ root, configFile: false, build: { outDir }, preview: { host: "127.0.0.1", port: 0 } });
const address = server.resolvedUrls.local[0];

for (const shape of ["paragraphs", "lines", "one line"]) {
  const page = await openPage(address);
  try {
    const opened = [];
    for (let times = 0; times < 5; times++) opened.push(await page.ask(`bench.open(${JSON.stringify(shape)})`));
    await page.ask("bench.goToMiddle()");
    await page.send("Performance.enable", { timeDomain: "threadTicks" });
    const before = await cpu(page);
    for (let index = 0; index < KEYS; index++) await page.press("abcdefghij"[index % 10]);
    const times = (await page.ask("bench.times()")).sort((one, other) => one - other);
    const perKey = ((await cpu(page)) - before) / KEYS;
    const queries = await page.ask("bench.queries()");
    const bulk = await page.ask("bench.markAll()");
    console.log(
      JSON.stringify({
        shape,
        open_first: round(opened[0]),
        open_median: round(opened.sort((one, other) => one - other)[2]),
        key_p50: round(percentile(times, 0.5)),
        key_p95: round(percentile(times, 0.95)),
        key_cpu: round(perKey),
        keys: times.length,
        ...Object.fromEntries(Object.entries(queries).map(([name, value]) => [name, round(value)])),
        select_all: round(bulk.select),
        mark_all: round(bulk.mark),
        undo_mark_all: round(bulk.undo),
        unchanged: bulk.unchanged,
      }),
    );
  } finally {
    await page.close();
  }
}
await server.close();
rmSync(outDir, { recursive: true });
