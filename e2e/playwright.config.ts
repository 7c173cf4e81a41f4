/**
 * The stories that are played in a real browser on real gateways; and, with the same fixtures, measurements of the UI and
 * the pictures for the documents. Nothing is tried twice: a test that fails now and then has found something.
 */
import { defineConfig } from "@playwright/test";
import { findBrowser } from "./browser.ts";

const browser = findBrowser();

export default defineConfig({
  outputDir: "results",
  forbidOnly: true,
  fullyParallel: true,
  retries: 0,
  workers: 2,
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
    // Nothing moves while it is looked at; colours are at once what they will be.
    contextOptions: { reducedMotion: "reduce" },
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions: {
      ...(browser ? { executablePath: browser } : {}),
      // Only our own pages are opened, and containers seldom allow the sandbox.
      chromiumSandbox: false,
    },
  },
  projects: [
    { name: "stories", testDir: "stories" },
    // One after the other (`make bench-ui` says --workers=1): what runs beside a measurement is measured, too.
    { name: "bench", testDir: "bench", timeout: 600_000 },
    { name: "screenshots", testDir: "screenshots" },
  ],
});
