/** A PDF: text and pages are marked over the pages' pictures, and it arrives as the very file. */
import type { Page } from "@playwright/test";
import { drawByFinger, drawByMouse } from "../fixtures/drawing.ts";
import {
  choose,
  draftOf,
  expectSameFile,
  importChosen,
  marksOf,
  pressMark,
  sample,
  saved,
  sendOn,
} from "../fixtures/files.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { selectByMouse } from "../fixtures/selecting.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const FILE = sample("pdf/reportlab.pdf");
const NAME = "reportlab.pdf";

const pageOf = (page: Page, number: number) => page.getByRole("region", { name: `Page ${number}`, exact: true });

async function pictureThere(page: Page, number: number): Promise<void> {
  const picture = pageOf(page, number).getByRole("img");
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth)).toBeTruthy();
}

test("an author marks words and pages of a PDF, and it arrives byte for byte", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const page = await open(anna, "/documents");

  await test.step("imports it", async () => {
    const dialog = await choose(page, FILE);
    await expect(dialog.getByRole("radio", { name: "PDF" })).toBeChecked();
    await importChosen(dialog, NAME);
    await expect(page.getByText("PDF · 3 pages · 2.4 KB")).toBeVisible();
    await pictureThere(page, 1);
    await expectAccessible(page);
  });

  const first = page.getByRole("document", { name: "Text of page 1", exact: true });
  await test.step("selects a word: the page goes with it", async () => {
    await expect(first.locator("[data-at]").first()).toHaveText("The");
    await selectByMouse(first, "green");
    await expect(page.getByText("Selected: “green”")).toBeVisible();
    await pressMark(page);
    await expect(pageOf(page, 1)).toContainText("The whole page is classified, because of a mark on it");
    await expect(marksOf(page)).toHaveText([/greenPage 1/]);
    await expect(page.getByRole("button", { name: "Page 1, classified" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Page 3, not marked" })).toBeVisible();
    await saved(page);
    await expect.poll(() => draftOf(anna)).toMatchObject({ format: "pdf", marks: 1 });
    await expectAccessible(page, BOTH);
  });

  await test.step("marks pages by number, and one by its button", async () => {
    const field = page.getByLabel("Pages to mark");
    await field.fill("2-9");
    await page.getByRole("button", { name: "Mark pages", exact: true }).click();
    await expect(page.getByRole("main").getByText("The document has pages 1 to 3.")).toBeVisible();
    await expectAccessible(page);
    await field.fill("2");
    await page.getByRole("button", { name: "Mark pages", exact: true }).click();
    await expect(marksOf(page)).toHaveCount(2);
    await page.getByRole("button", { name: "Page 2, classified" }).click();
    await expect(pageOf(page, 2)).toBeInViewport();
    await pageOf(page, 2).getByRole("button", { name: "Unmark page" }).click();
    await expect(marksOf(page)).toHaveCount(1);
  });

  await test.step("marks by the keys alone", async () => {
    await first.focus();
    await page.keyboard.press("Control+a");
    await expect(page.getByText(/^Selected: “The green hills/)).toBeVisible();
    await page.keyboard.press("Control+Shift+s");
    await expect(marksOf(page)).toHaveText([/The green hills/]);
    await page.keyboard.press("Control+z");
    await expect(marksOf(page)).toHaveText([/greenPage 1/]);
  });

  await test.step("draws over an area of a page, and marks another one by numbers", async () => {
    await page.getByRole("button", { name: "Page 3, not marked" }).click();
    const third = pageOf(page, 3);
    await pictureThere(page, 3);
    await third.getByRole("button", { name: "Mark an area of page 3" }).click();
    await drawByMouse(third.getByRole("img"));
    await expect(marksOf(page)).toHaveText([/greenPage 1/, /Area [\d,-]+ on page 3/]);
    await third.getByText("Mark an area by numbers").click();
    await third.getByLabel("Height").press("Enter");
    await expect(marksOf(page)).toHaveCount(3);
    await third.getByRole("button", { name: "Unmark area 2" }).press("Enter");
    await expect(marksOf(page)).toHaveCount(2);
    await third.getByLabel("Left").press("Escape");
    await expect(third.getByRole("button", { name: "Mark an area of page 3", pressed: false })).toBeFocused();
    await expect(third).toContainText("The whole page is classified, because of a mark on it");
  });

  await test.step("has the redacted edition", async () => {
    await saved(page);
    await page.getByRole("button", { name: "Redacted edition" }).click();
    await expect(page.getByText("reportlab.redacted.pdf")).toBeVisible();
    const edition = page.getByRole("dialog", { name: "Redacted edition" });
    const shown = edition.getByRole("img", { name: "Page 1 of the redacted edition" });
    await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    await edition.getByText("Selectable and searchable text of this page").click();
    await expect(edition).toContainText("The █████ hills");
    await expect(edition).not.toContainText("green");
    await edition.getByText("Selectable and searchable text of this page").click();
    await edition.getByRole("button", { name: "Next page" }).click();
    await expect(edition.getByRole("status")).toHaveText("Page 2 of 3");
    await edition.getByText("Selectable and searchable text of this page").click();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
  });

  await test.step("sends it", () => sendOn(page, bruno));
  await test.step("and the recipient has the very file", async () => {
    await expectSameFile(await open(bruno), NAME, FILE);
  });
});

test("what a PDF holds beside its pages is seen and marked", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna, "/documents");
  await importChosen(await choose(page, sample("pdf/hidden-everywhere.pdf")), "hidden-everywhere.pdf");
  const beside = page.getByRole("region", { name: "Outside the pages" });
  await expect(beside.getByText("a bookmark", { exact: true })).toBeVisible();
  await beside.getByRole("button", { name: "Mark all of Bookmark 1" }).click();
  await expect(marksOf(page)).toHaveText([/Chapter ORION/]);
  await saved(page);
  await expectAccessible(page, BOTH);
});

test("a damaged PDF is refused where it is imported", async ({ people, open, guard }) => {
  guard.allowStatus(422);
  const page = await open(await people.author(), "/documents");
  const dialog = await choose(page, {
    name: "cut.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.from("%PDF-1.4\nx"),
  });
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("The file was not imported.");
  await expectAccessible(page);
});

test.describe("on a phone", () => {
  test.use(phone);

  test("a page is marked, and fits", async ({ people, open }) => {
    const anna = await people.author();
    const page = await open(anna, "/documents");
    await importChosen(await choose(page, FILE), NAME);
    await pictureThere(page, 1);
    await expectNoSidewaysScroll(page);
    await page.getByRole("button", { name: "Mark an area of page 1" }).tap();
    await drawByFinger(pageOf(page, 1).getByRole("img"));
    await expect(pageOf(page, 1).getByRole("button", { name: "Unmark area 1" })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "Mark page 1", exact: true }).tap();
    await expect(page.getByRole("button", { name: "Page 1, classified" })).toBeVisible();
    await page.getByRole("button", { name: "250 %" }).tap();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  });
});
