/** How much of the program travels until a page is there. */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Locator, Page, Response } from "@playwright/test";

const ASSET = /^\/assets\/.*\.(js|css)$/;

/** Kilobytes of scripts and styles as they travel, compressed. */
type Row = { what: string; js: number; css: number };

export class Parts {
  readonly rows: Row[] = [];
  readonly #taken = new Set<string>();

  /** Notes what comes for the first time while `act` leads to `until`. */
  async weigh(what: string, page: Page, act: () => Promise<unknown>, until: Locator): Promise<void> {
    const row = { what, js: 0, css: 0 };
    const coming: Promise<void>[] = [];
    const heard = (response: Response) => {
      const path = new URL(response.url()).pathname;
      const kind = ASSET.exec(path)?.[1];
      if (kind === undefined || this.#taken.has(path)) return;
      this.#taken.add(path);
      coming.push(this.#add(row, kind as "js" | "css", response.url()));
    };
    page.on("response", heard);
    await act();
    await until.first().waitFor();
    page.off("response", heard);
    await Promise.all(coming);
    this.rows.push(row);
  }

  async #add(row: Row, kind: "js" | "css", url: string): Promise<void> {
    const bytes = await compressedBytes(url);
    row[kind] += bytes / 1000;
  }
}

/** What a browser does not tell: bytes of the body as it comes, compressed if that pays. */
async function compressedBytes(url: string): Promise<number> {
  const asked = get(url, { headers: { "Accept-Encoding": "gzip" } });
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  let bytes = 0;
  for await (const piece of answer) bytes += (piece as Buffer).length;
  return bytes;
}
