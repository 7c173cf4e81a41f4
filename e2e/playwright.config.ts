/**
 * Stories in a real browser on real gateways; and, with the same fixtures, measurements of the UI and screenshots for the
 * documents. No test is retried: a test that fails sometimes has found something.
 */
import { defineConfig, type Project } from "@playwright/test";
import { findBrowser, findFirefox } from "./browser.ts";

const browser = findBrowser();
const firefox = findFirefox();

const launchOptions = {
  ...(browser ? { executablePath: browser } : {}),
  // Tests open only our own pages, and containers seldom allow the sandbox.
  chromiumSandbox: false,
};

/**
 * V8 optimizes code only once it has run ten times as often as by default. Pages of stories last seconds, so most of their
 * optimized code never pays for its compilation, which runs beside them on the same two processors.
 */
const inChromium: Project["use"] = {
  launchOptions: {
    ...launchOptions,
    args: [
      // Fewer processes, which pass each frame and each response to each other. The first feature is Playwright's own.
      "--in-process-gpu",
      "--enable-features=CDPScreenshotNewSurface,NetworkServiceInProcess2",
      `--js-flags=${[
        "--invocation-count-for-maglev=4000",
        "--invocation-count-for-maglev-osr=1000",
        "--invocation-count-for-turbofan=30000",
        "--invocation-count-for-osr=5000",
      ].join(" ")}`,
    ],
  },
};

/**
 * Any stock Firefox, by WebDriver BiDi, in which a page cannot choose its theme or take screenshots of failures; or
 * Playwright's build.
 */
const inFirefox: Project = {
  name: "stories in Firefox",
  testDir: "firefox",
  workers: 1,
  use: {
    browserName: "firefox",
    ...(firefox?.isOurs ? {} : { channel: "moz-firefox" }),
    colorScheme: null,
    contextOptions: {},
    screenshot: "off",
    launchOptions: {
      executablePath: firefox?.path ?? "",
      firefoxUserPrefs: { "ui.prefersReducedMotion": 1, "ui.systemUsesDarkTheme": 0 },
    },
  },
};

export default defineConfig({
  outputDir: "results",
  globalSetup: "./fixtures/global-setup.ts",
  forbidOnly: true,
  fullyParallel: true,
  retries: 0,
  // On two processors: stories often wait.
  workers: 4,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: "list",
  use: {
    browserName: "chromium",
    headless: true,
    actionTimeout: 15_000,
    navigationTimeout: 15_000,
    locale: "en-GB",
    timezoneId: "UTC",
    colorScheme: "light",
    viewport: { width: 1280, height: 800 },
    // No animations: elements do not move, and colours are final at once.
    contextOptions: { reducedMotion: "reduce" },
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions,
  },
  projects: [
    // First those that one worker plays one after the other: each worker starts gateways and a browser of its own, which
    // takes as long as a story, and by their end the others keep both processors busy.
    { name: "stories on other gateways", testDir: "offices", workers: 1, use: inChromium },
    ...(firefox ? [inFirefox] : []),
    { name: "stories", testDir: "stories", use: inChromium },
    // One after the other (`make bench-ui` sets --workers=1): anything that runs in parallel distorts a measurement.
    { name: "bench", testDir: "bench", timeout: 600_000 },
    { name: "screenshots", testDir: "screenshots" },
  ],
});
