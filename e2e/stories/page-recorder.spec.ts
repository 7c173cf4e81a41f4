/** The page recorder does not wait for a response that the page cancelled, and misses none that the page got. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { PageRecorder } from "../fixtures/page-recorder.ts";

test("an aborted response is not waited for, and all others are recorded", async ({ page }) => {
  const server = createServer((request, answer) => {
    if (request.url === "/endless") answer.write("the beginning of what never ends");
    else answer.end(`all of ${request.url}`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const recorder = await PageRecorder.of(page);
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/page`);
  const had = await page.evaluate(async () => {
    const giving = new AbortController();
    const endless = fetch("/endless", { signal: giving.signal }).catch(() => "given up");
    // Its head is there by then: another request has come and gone after it.
    for (let after = 0; after < 3; after++) await fetch(`/after-${after}`);
    giving.abort();
    return [await endless, await (await fetch("/last")).text()];
  });
  expect(had).toEqual(["given up", "all of /last"]);
  const recorded = (await recorder.all()).map(({ bytes }) => bytes.toString());
  for (const path of ["/page", "/after-0", "/after-1", "/after-2", "/last"])
    expect(recorded).toContain(`all of ${path}`);
  server.closeAllConnections();
  server.close();
});
