/** What comes of measurements: figures of samples, a table to read, a file to keep. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { dirname, join } from "node:path";

const FOLDER = join(dirname(import.meta.dirname), "results");

/** The sample below which that part of all lie; 0.5 is the median. */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** `rows` as text, figures to one decimal, under the names of the first one's members. */
export function table(title: string, rows: readonly Record<string, string | number>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => names.map((name) => told(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => line.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  "));
  return `\n${title}\n${lines.join("\n")}\n`;
}

function told(value: string | number | undefined): string {
  return typeof value === "number" ? value.toFixed(1) : (value ?? "");
}

/** Where and when it was measured. A load well above 0 says that something else ran, too. */
export function conditions(browser: string): Record<string, string | number> {
  const [cpu] = cpus();
  return {
    at: new Date().toISOString(),
    browser,
    node: process.version,
    system: `${process.platform} ${release()}`,
    cpu: cpu?.model ?? "unknown",
    cpus: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    load_1_min: loadavg()[0] ?? 0,
  };
}

export function keep(file: string, measured: object): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, file), `${JSON.stringify(measured, null, 1)}\n`);
}
