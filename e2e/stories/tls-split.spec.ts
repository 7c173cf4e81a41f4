/** Chromium reads documents of `sieve lab tls-split`, whose handshakes and records are in different processes. */
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, test as base, expect } from "@playwright/test";

const E2E = dirname(import.meta.dirname);
const PYTHON = join(dirname(E2E), "backend", ".venv", "bin", "python");
const DESIGNS = ["one-process", "through-handler", "direct"] as const;
const LINE = "A document of the laboratory, which protects nobody.\n";
/** More than Chromium keeps connections to one server, so that some are on connections that served before. */
const SIZES = [0, 1, 2000, 16_384, 16_385, 200_000, 1_000_000, 300];

type Served = { readonly port: number; readonly full: number; readonly resumed: number };
type Sites = Record<(typeof DESIGNS)[number], Served> & { readonly spki: string };

const test = base.extend<{ counted: () => Promise<Sites>; before: Sites; trusting: Browser }>({
  /** A server of each design, and the handshakes that each has done. */
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from a pattern
  counted: async ({}, use) => {
    const program = spawn(PYTHON, [join(E2E, "tls_sites.py")], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    const next = async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error("tls_sites.py ended; what it said is above");
      return JSON.parse(value) as Sites;
    };
    await next();
    await use(() => {
      program.stdin.write("\n");
      return next();
    });
    program.stdin.end();
    await new Promise((resolve) => program.once("exit", resolve));
  },
  /** What the servers had done before the test. */
  before: async ({ counted }, use) => use(await counted()),
  /** A browser that accepts their certificate. */
  trusting: async ({ before, playwright }, use, info) => {
    const browser = await playwright.chromium.launch({
      ...info.project.use.launchOptions,
      // The certificate is its own issuer. Errors that are ignored in any other way keep sessions from being resumed.
      args: [`--ignore-certificate-errors-spki-list=${before.spki}`],
    });
    await use(browser);
    await browser.close();
  },
});

const documentOf = (size: number) => LINE.repeat(size / LINE.length + 1).slice(0, size);

test("Chromium reads documents in each design, and resumes its sessions", async ({ counted, before, trusting }) => {
  const page = await trusting.newPage();
  for (const design of DESIGNS) {
    await test.step(design, async () => {
      const { port, full, resumed } = before[design];
      const response = await page.goto(`https://localhost:${port}/20000`);
      expect((await response?.securityDetails())?.protocol).toBe("TLS 1.3");
      expect(await response?.text()).toBe(documentOf(20_000));
      const texts = await page.evaluate(
        (sizes) => Promise.all(sizes.map(async (size) => (await fetch(`/${size}`)).text())),
        SIZES,
      );
      expect(texts.map((text) => text.length)).toEqual(SIZES);
      expect(texts).toEqual(SIZES.map(documentOf));
      const after = (await counted())[design];
      expect(after.full).toBeGreaterThan(full);
      expect(after.resumed).toBeGreaterThan(resumed);
    });
  }
});
