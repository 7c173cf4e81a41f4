/** What listens to a page neither waits for an answer that the page gave up, nor misses one that it had. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { Hearing } from "../fixtures/hearing.ts";

test("an answer that is given up in the midst of its body is not waited for; all others are heard", async ({
  page,
}) => {
  const server = createServer((request, answer) => {
    if (request.url === "/endless") answer.write("the beginning of what never ends");
    else answer.end(`all of ${request.url}`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const hearing = await Hearing.of(page);
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
  const heard = (await hearing.all()).map(({ bytes }) => bytes.toString());
  for (const path of ["/page", "/after-0", "/after-1", "/after-2", "/last"]) expect(heard).toContain(`all of ${path}`);
  server.closeAllConnections();
  server.close();
});
