/**
 * Which browser the stories run in: CHROMIUM_PATH, else a Chromium or Chrome on PATH, else the one that Playwright keeps.
 *
 * `node browser.ts` gets one if there is none, by the system's packages where it may, else by Playwright.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "@playwright/test";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The path of the browser, or null if there is none. A CHROMIUM_PATH that cannot be run is an error. */
export function findBrowser(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (!canRun(named)) throw new Error(`CHROMIUM_PATH is ${named}, which cannot be run; name a Chromium or Chrome`);
    return named;
  }
  for (const name of NAMES) {
    const found = onPath(name);
    if (found) return found;
  }
  const kept = chromium.executablePath();
  return existsSync(kept) ? kept : null;
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function getBrowser(): void {
  const aptMayRun = process.getuid?.() === 0 && onPath("apt-get") !== undefined;
  // Debian has the package; Ubuntu's needs snap, and is not to be had in a container.
  if (aptMayRun && run("apt-get", "update", "-qq") && run("apt-get", "install", "-y", "-qq", "chromium")) return;
  const playwright = join(import.meta.dirname, "node_modules", ".bin", "playwright");
  run(playwright, "install", ...(aptMayRun ? ["--with-deps"] : []), "chromium");
}

function run(command: string, ...args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"], env }).status === 0;
}

if (import.meta.main) {
  try {
    if (!findBrowser()) getBrowser();
    if (!findBrowser())
      throw new Error("no browser: install Chromium or Chrome, or say where one is: CHROMIUM_PATH=/path");
  } catch (error) {
    console.error(`make: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
