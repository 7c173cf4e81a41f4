/** A PDF with marked words: before it is sent, as an eavesdropper sees it, and redacted. */
import type { Page } from "@playwright/test";
import { choose, importChosen, marksOf, pressMark, saved, sendOn } from "../fixtures/files.ts";
import { selectByMouse } from "../fixtures/selecting.ts";
import { expect, test } from "./office.ts";

const NAME = "Harbour report.pdf";
const REPORT = `<style>body { font: 15px/1.6 "Liberation Serif", serif; margin: 40px } table { border-collapse: collapse }
td, th { border: 1px solid #888; padding: 4px 12px; text-align: left }</style>
<h1>Harbour report, week 47</h1>
<p>The survey ship Petrel was chartered from Halvorsen and berths at Pier 7 until Tuesday.
She leaves with the ebb at 04:12, and returns on Friday. Her crew is paid by the harbour office.</p>
<table><tr><th>Name</th><th>Rank</th><th>Aboard since</th></tr>
<tr><td>Ida Berg</td><td>pilot</td><td>2 August</td></tr>
<tr><td>Sam Okafor</td><td>diver</td><td>9 August</td></tr></table>
<p>The eastern breakwater stands. The western one was repaired with stones from Larvik, which came in
three barges, and is open to visitors on Sundays.</p>`;

/** The report, three pages of it. */
async function madeBy(page: Page): Promise<Buffer> {
  const printer = await page.context().newPage();
  const calm = "<p style='break-before: page'>The tides of this week were as foretold, and nothing happened.</p>";
  await printer.setContent(REPORT + calm.repeat(2));
  const made = await printer.pdf({ format: "A5", printBackground: true });
  await printer.close();
  return made;
}

test("a PDF", async ({ office, open, picture }) => {
  const page = await open(office.anna, "/documents");
  const buffer = await madeBy(page);
  await importChosen(await choose(page, { name: NAME, mimeType: "application/pdf", buffer }), NAME);
  const first = page.getByRole("document", { name: "Text of page 1", exact: true });
  await expect(first.locator("[data-at]").first()).toHaveText("Harbour");
  for (const [at, word] of ["Halvorsen", "Ida", "Berg"].entries()) {
    await selectByMouse(first, word);
    await pressMark(page);
    await expect(marksOf(page)).toHaveCount(at + 1);
  }
  await saved(page);
  await page.keyboard.press("Escape");
  await picture(page, "pdf");

  await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(page.getByRole("dialog").getByRole("progressbar")).toBeHidden();
  await picture(page, "pdf-eavesdropper");
  await page.keyboard.press("Escape");

  await sendOn(page, office.bruno, office.rosa);
  const rosas = await open(office.rosa, "/inbox");
  await rosas.getByRole("link", { name: /Harbour report/ }).click();
  const shown = rosas.getByRole("region", { name: "Page 1", exact: true }).getByRole("img");
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  await shown.evaluate((img) => window.scrollTo(0, img.getBoundingClientRect().top + window.scrollY - 150));
  await picture(rosas, "pdf-redacted");
});
