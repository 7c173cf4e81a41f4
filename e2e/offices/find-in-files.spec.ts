/** Tables of Word documents keep their shape, and find-and-mark works in files of every format. */
import { choose, importChosen, marksOf, pressMark, sample, saved } from "../fixtures/files.ts";
import { officeThatConfirms as test } from "../fixtures/office.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { selectByMouse } from "../fixtures/selecting.ts";
import { expect } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const CREW = "name,port\nTom Reed,Bergen\nIda Berg,Oslo\nTom Reed,Riga\nDr Tom Reed,Kiel\nTom Reed,Turku\n";

test("an author sees a table as a table, and marks every place of a name", async ({ people, open, guard }) => {
  const anna = await people.author();
  const page = await open(anna, "/documents");
  const find = page.getByRole("search", { name: "Find and mark" });

  await test.step("a table of a Word document has its rows and columns", async () => {
    await importChosen(await choose(page, sample("producers/libreoffice.docx")), "libreoffice.docx");
    const rows = page.getByRole("document", { name: "Text: Text", exact: true }).getByRole("row");
    await expect(rows).toHaveCount(2);
    await expect(rows.nth(0).getByRole("cell")).toHaveText([/quay/, /ships/]);
    await expect(rows.nth(1).getByRole("cell")).toHaveText([/ORION VEGA/, /12/]);
  });

  await test.step("a phrase is found and marked in it, and what is left is underlined", async () => {
    await page.keyboard.press("Control+f");
    await page.keyboard.type("orion vega");
    await expect(find.getByRole("checkbox", { name: /^(\d+) of \1 chosen$/ })).toBeVisible();
    await expectAccessible(page, BOTH);
    await page.keyboard.press("Enter");
    await find.getByRole("button", { name: "Mark this one" }).click();
    await expect(page.getByRole("document", { name: "Text: Text", exact: true }).locator("mark").first()).toHaveText(
      /orion vega/i,
    );
    await expect.poll(() => page.evaluate(() => CSS.highlights.get("finding")?.size ?? 0)).toBeGreaterThan(0);
    await find.getByRole("button", { name: /^Mark all/ }).click();
    await expect(find.getByRole("button", { name: /^Unmark all/ })).toBeEnabled();
    await saved(page);
    await find.getByRole("button", { name: "Close search" }).click();
  });

  await test.step("the marks of one text are one row, which opens", async () => {
    await expect(marksOf(page)).toHaveText([/ORION VEGA.*20 places/]);
    await page.getByRole("button", { name: "Places of “ORION VEGA”" }).click();
    await expect(marksOf(page).nth(1)).toContainText("docProps/core.xml, text 3");
    await expectAccessible(page);
    await page.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step("the cells of a table that repeat a name are marked from one of them", async () => {
    await page.goto("/documents");
    const file = { name: "crew.csv", mimeType: "text/csv", buffer: Buffer.from(CREW) };
    await importChosen(await choose(page, file), "crew.csv");
    const reed = page.getByRole("gridcell", { name: "Tom Reed", exact: true }).first();
    await expect(reed).toHaveAttribute("aria-selected", "false");
    await reed.click();
    await expect(reed).toHaveAttribute("aria-selected", "true");
    await page.getByRole("button", { name: "Also mark 3 others" }).click();
    await expect(marksOf(page)).toHaveText([/Tom Reed.*4 places/]);
    await page.getByRole("button", { name: "Places of “Tom Reed”" }).click();
    for (const place of ["Row 1, name", "Row 3, name", "Row 4, name", "Row 5, name"]) {
      await expect(marksOf(page).getByText(place)).toBeVisible();
    }
    await expect(page.getByRole("button", { name: /^Also mark/ })).toHaveCount(0);
    await expectAccessible(page);
  });

  await test.step("columns are made wider, by keys and by dragging", async () => {
    const head = page.getByRole("columnheader", { name: "name", exact: true });
    const widthNow = async () => (await head.boundingBox())?.width ?? 0;
    const first = await widthNow();
    await page.getByRole("gridcell", { name: "Ida Berg", exact: true }).click();
    await page.keyboard.press("Alt+Shift+ArrowRight");
    await expect.poll(widthNow).toBe(first + 24);
    const { x, y, width, height } = (await head.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + width - 4, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width + 46, y + height / 2);
    await page.mouse.up();
    await expect.poll(widthNow).toBe(first + 74);
  });

  await test.step("at 200 % zoom the window is for the document, and the help is there", async () => {
    await page.setViewportSize({ width: 640, height: 400 });
    await expect(page.getByRole("gridcell", { name: /^Dr Tom Reed/ })).toBeInViewport();
    await expectNoSidewaysScroll(page);
    await page.getByRole("button", { name: "Help", exact: true }).click();
    const help = page.getByRole("dialog", { name: "Help" });
    await expect(help.getByText("Write or import")).toBeVisible();
    await page.getByRole("tab", { name: "Words" }).click();
    await expect(help.getByText("Redacted edition", { exact: true })).toBeVisible();
    await expectAccessible(page, BOTH);
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "What does “Plain channel” mean?" }).click();
    await expect(page.getByText("nobody can change it undetected")).toBeVisible();
    await expectAccessible(page, BOTH);
    await page.keyboard.press("Escape");
  });

  await test.step("a PDF says once what a mark does to its page", async () => {
    await page.goto("/documents");
    await importChosen(await choose(page, sample("pdf/reportlab.pdf")), "reportlab.pdf");
    const notice = page.getByRole("region", { name: "About marks in a PDF" });
    await expect(notice).toContainText("A marked word classifies its whole page");
    await notice.getByRole("button", { name: "Dismiss" }).click();
    await expect(notice).toBeHidden();
    await page.reload();
    await expect(page.getByRole("region", { name: "Page 1", exact: true })).toBeVisible();
    await expect(notice).toBeHidden();
  });

  await test.step("a mark that the redacted edition needs is made by one press", async () => {
    guard.allowStatus(409);
    const first = page.getByRole("document", { name: "Text of page 1", exact: true });
    await expect(first.locator("[data-at]").first()).toHaveText("The");
    await selectByMouse(first, "The");
    await pressMark(page);
    await saved(page);
    await page.getByRole("button", { name: "Redacted edition" }).click();
    const edition = page.getByRole("dialog", { name: "Redacted edition" });
    await expect(edition.getByText("One more mark is needed.")).toBeVisible();
    await expectAccessible(page, BOTH);
    await edition.getByRole("button", { name: "Mark it there, too" }).click();
    await expect(edition.getByRole("img", { name: "Page 1 of the redacted edition" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(marksOf(page)).toHaveCount(2);
  });
});
