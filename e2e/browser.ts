/**
 * Chooses the browser for the stories: CHROMIUM_PATH, else a Chromium or Chrome on PATH, else the one that Playwright installed.
 * The headless shell comes first: the same engine without windows, which would take a fifth of a story's processor time.
 *
 * `node browser.ts` installs one if there is none, from the system's packages if permitted, else with Playwright. The main
 * stories also run in the system's Firefox if there is one. With `CI` in the environment it is installed, too, or if that is
 * not permitted, Playwright's build of Firefox. If neither can be had, the stories in Firefox do not run, and say so; with
 * `REQUIRE_FIREFOX` in the environment that is an error.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, firefox } from "@playwright/test";

const SHELL = "chromium-headless-shell";
const NAMES = [SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FIREFOXES = ["firefox-esr", "firefox"];
const PLAYWRIGHT = join(import.meta.dirname, "node_modules", ".bin", "playwright");
const START_MS = 60_000;
const NO_BROWSER = "no browser: install Chromium or Chrome, or say where one is: CHROMIUM_PATH=/path";
const NO_FIREFOX =
  "no Firefox that starts: install the package firefox-esr or firefox, or run e2e/node_modules/.bin/playwright install firefox";
const NO_LIBRARIES =
  "the browser that Playwright keeps does not start, for want of system libraries: " +
  "run, as root, e2e/node_modules/.bin/playwright install-deps chromium";

/** The path of a browser that starts, or null if there is none. A CHROMIUM_PATH that does not start is an error. */
export function findBrowser(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (!starts(named)) throw new Error(`CHROMIUM_PATH is ${named}, which does not start; name a Chromium or Chrome`);
    return named;
  }
  for (const name of NAMES) {
    const found = onPath(name);
    if (found && starts(found)) return found;
  }
  const kept = chromium.executablePath();
  return existsSync(kept) && starts(kept) ? kept : null;
}

/** `isOurs`: it is Playwright's build, which speaks Playwright's protocol; else it is a stock Firefox. */
export type FoundFirefox = { readonly path: string; readonly isOurs: boolean };

/** A Firefox that starts, the system's before Playwright's; null if there is none. */
export function findFirefox(): FoundFirefox | null {
  const stock = FIREFOXES.map(onPath).find((path) => path !== undefined && starts(path));
  if (stock !== undefined) return { path: stock, isOurs: false };
  const kept = firefox.executablePath();
  return existsSync(kept) && starts(kept) ? { path: kept, isOurs: true } : null;
}

/** False for a stub that only refers to a snap, and for a browser whose system libraries are missing. */
function starts(path: string): boolean {
  return spawnSync(path, ["--version"], { stdio: "ignore", timeout: START_MS }).status === 0;
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

/** Gets Firefox in CI; elsewhere its stories run only if it is installed. Throws if it must be there, and is not. */
function getFirefox(): void {
  const { CI, REQUIRE_FIREFOX } = process.env;
  if (findFirefox()) return;
  if (CI || REQUIRE_FIREFOX) {
    const fromDebian =
      aptMayRun() &&
      run("apt-get", "update", "-qq") &&
      FIREFOXES.some((name) => run("apt-get", "install", "-y", "-qq", name));
    if (!fromDebian || !findFirefox()) run(PLAYWRIGHT, "install", ...(aptMayRun() ? ["--with-deps"] : []), "firefox");
  }
  if (findFirefox()) return;
  if (REQUIRE_FIREFOX) throw new Error(NO_FIREFOX);
  console.error(`${NO_FIREFOX}. The stories in Firefox do not run`);
}

const aptMayRun = (): boolean => process.getuid?.() === 0 && onPath("apt-get") !== undefined;

function getBrowser(): void {
  console.error("getting a browser for the stories: none that starts was found");
  // Debian has both, older versions only the second. Ubuntu's package needs snap, which does not work in a container.
  const install = (name: string) => run("apt-get", "install", "-y", "-qq", name);
  if (aptMayRun() && run("apt-get", "update", "-qq") && [SHELL, "chromium"].some(install)) return;
  run(PLAYWRIGHT, "install", ...(aptMayRun() ? ["--with-deps"] : []), "chromium");
}

function run(command: string, ...args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"], env }).status === 0;
}

if (import.meta.main) {
  try {
    if (!findBrowser()) getBrowser();
    if (!findBrowser()) throw new Error(existsSync(chromium.executablePath()) ? NO_LIBRARIES : NO_BROWSER);
    getFirefox();
  } catch (error) {
    console.error(`make: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
