/** `test` for screenshots of `make run` as it opens the first time: with people and two days of transfers. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "@playwright/test";
import { test as base, expect } from "./office.ts";

const BACKEND = join(dirname(dirname(import.meta.dirname)), "backend");
/** It sends some 300 documents first. */
const START_MS = 240_000;

/** What `make run` prints about a gateway. */
type Shown = { readonly url: string; readonly people: Readonly<Record<string, { readonly password: string }>> };

type Demo = {
  /** Opens a page of the demo's alpha, as its admin. */
  openDemo: (path: string) => Promise<Page>;
};

export const test = base.extend<Demo>({
  openDemo: [
    async ({ browser, guard }, use) => {
      const data = await mkdtemp(join(tmpdir(), "sieve-demo-"));
      const command = ["-m", "sieve.cli", "demo", "--data", data, "--ports", "free", "--json"];
      const demo = spawn(join(BACKEND, ".venv", "bin", "python"), command, { stdio: ["ignore", "pipe", "ignore"] });
      const { alpha } = await firstLine(demo);
      guard.belongs(alpha.url);
      const context = await browser.newContext({ baseURL: alpha.url });
      const answer = await context.request.post("/api/v1/session", {
        data: { name: "admin", password: alpha.people.admin?.password },
        headers: { Origin: alpha.url },
      });
      expect(answer.status(), await answer.text()).toBe(200);
      await use(async (path) => {
        const page = await context.newPage();
        await page.goto(path);
        return page;
      });
      await context.close();
      demo.kill("SIGTERM");
      if (demo.exitCode === null) await once(demo, "exit");
      await rm(data, { recursive: true });
    },
    { timeout: START_MS },
  ],
});

async function firstLine(demo: ChildProcess): Promise<{ readonly alpha: Shown }> {
  if (!demo.stdout) throw new Error("the demo has no output");
  for await (const line of createInterface({ input: demo.stdout })) return JSON.parse(line);
  throw new Error("the demo ended; `make run` says why");
}

export { expect };
