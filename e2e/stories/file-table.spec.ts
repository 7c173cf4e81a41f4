/** Tables: columns, rows and cells are marked by hand, by name and by rule, also where there are very many. */
import { writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Page, TestInfo } from "@playwright/test";
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
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const TOWNS = ["Kiel", "Emden", "Bremen"];

/** `rows` rows: a number, a town, a salary that is nowhere else, a note with quotes in it. */
async function tableOf(info: TestInfo, rows: number): Promise<string> {
  const path = info.outputPath("staff.csv");
  const lines = ["id,town,salary,note"];
  for (let row = 1; row <= rows; row++) {
    lines.push(`${row},${TOWNS[row % 3]},${70_000_000 + row * 7},"says ""no"", always"`);
  }
  await writeFile(path, `${lines.join("\r\n")}\r\n`);
  return path;
}

const gridOf = (page: Page) => page.getByRole("grid", { name: "Table" });
const cell = (page: Page, name: string) => gridOf(page).getByRole("gridcell", { name, exact: true });

test("an author marks columns, rows and cells, and the table arrives byte for byte", async ({ people, open }, info) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const path = await tableOf(info, 60);
  const page = await open(anna, "/documents");

  await test.step("imports it as a table", async () => {
    const dialog = await choose(page, path);
    await expect(dialog.getByRole("radio", { name: "Table" })).toBeChecked();
    await expect(dialog.getByRole("radio", { name: "Literal text" })).not.toBeChecked();
    await expectAccessible(page);
    await importChosen(dialog, basename(path));
    await expect(cell(page, "70000007")).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("marks a column by its head", async () => {
    await gridOf(page).getByRole("columnheader", { name: "salary" }).click();
    await expect(page.getByText("Selected: column salary")).toBeVisible();
    await pressMark(page);
    await expect(gridOf(page).getByRole("columnheader", { name: "salary (classified)" })).toBeVisible();
    await expect(cell(page, "70000007 (classified with its column)")).toBeVisible();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Show as text" }).click();
    const text = page.getByRole("dialog", { name: "The table as text" });
    await expect(text.getByText("id,town,")).toBeVisible();
    await expect(text.locator("mark", { hasText: "70000007" })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(text).toBeHidden();
  });

  await test.step("a cell of it is classified with it", async () => {
    await cell(page, "70000007 (classified with its column)").click();
    await expect(page.getByText("Classified with column salary")).toBeVisible();
    await expect(page.getByRole("button", { name: "Unmark", exact: true })).toBeDisabled();
  });

  await test.step("marks cells and a row by the keys alone", async () => {
    await gridOf(page).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowDown");
    await expect(page.getByText("Selected: 2 cells")).toBeVisible();
    await page.keyboard.press("Control+Shift+s");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+Space");
    await expect(page.getByText("Selected: row 4")).toBeVisible();
    await page.keyboard.press("Control+Shift+s");
    await expect(marksOf(page)).toHaveText([/Column salary/, /Row 2, town/, /Row 3, town/, /Row 4/]);
    await saved(page);
    await expectAccessible(page, BOTH);
  });

  await test.step("hides a column's name by the list of columns", async () => {
    await page.getByRole("button", { name: "Columns", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Columns" });
    await expect(dialog.getByRole("checkbox", { name: "salary", exact: true })).toBeChecked();
    await dialog.getByRole("checkbox", { name: "its name too (salary)" }).check();
    await expectAccessible(page, BOTH);
    await dialog.getByRole("button", { name: "Done" }).click();
    await saved(page);
  });

  await test.step("reads what an eavesdropper reads, and what the uncleared get", async () => {
    await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
    const ear = page.getByRole("figure", { name: "The first lines as they are sent" });
    await expect(ear).toContainText("id,town,note");
    await expect(ear).not.toContainText("70000007");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Redacted edition" }).click();
    const edition = page.getByRole("figure", { name: "First lines" });
    await expect(edition).toContainText("█████");
    await expect(edition).not.toContainText("70000007");
    await page.keyboard.press("Escape");
  });

  await test.step("sends it", () => sendOn(page, bruno));
  await test.step("and the recipient has the very file", async () => {
    await expectSameFile(await open(bruno), basename(path), path);
  });
});

test("rows are marked by a rule among 100,000", async ({ people, open }, info) => {
  const anna = await people.author();
  const path = await tableOf(info, 100_000);
  const page = await open(anna, "/documents");
  await importChosen(await choose(page, path), basename(path));
  await expect(page.getByText("Table (.csv) · 100,000 rows · 4 columns")).toBeVisible();
  await page.getByLabel("Go to row").fill("99,998");
  await page.getByRole("button", { name: "Go", exact: true }).click();
  await expect(cell(page, "99998")).toBeVisible();
  await expect(page.getByText("Selected: row 99,998")).toBeVisible();

  await page.getByRole("button", { name: "Rows by rule" }).click();
  const dialog = page.getByRole("dialog", { name: "Rows by rule" });
  await dialog.getByRole("combobox", { name: "Where column" }).click();
  await page.getByRole("option", { name: "id" }).click();
  await dialog.getByRole("combobox", { name: "Condition" }).click();
  await page.getByRole("option", { name: "begins with" }).click();
  await dialog.getByRole("button", { name: "Find rows" }).click();
  await expect(dialog.getByText("Enter the text to look for.")).toBeVisible();
  await dialog.getByLabel("Text").fill("9999");
  await dialog.getByRole("button", { name: "Find rows" }).click();
  await expect(dialog.getByRole("status")).toContainText("11 rows of 100,000 match.", { timeout: 60_000 });
  await expectAccessible(page, BOTH);
  await dialog.getByRole("button", { name: "Mark 11 rows" }).click();
  await expect(marksOf(page)).toHaveText([/Row 9,999/, /Rows 99,990 to 99,999/]);
  await saved(page);
  await expect.poll(() => draftOf(anna)).toMatchObject({ marks: 11 });
  await page.keyboard.press("Control+z");
  await expect(marksOf(page)).toHaveCount(0);
});

test("cells of a workbook are marked sheet by sheet", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna, "/documents");
  await importChosen(await choose(page, sample("office/every-place.xlsx")), "every-place.xlsx");
  const grid = page.getByRole("grid", { name: "Sheet Pay" });
  await grid.getByRole("gridcell", { name: "7", exact: true }).click();
  await expect(page.getByText("Selected: A2")).toBeVisible();
  await pressMark(page);
  await expect(marksOf(page)).toHaveText([/Pay, A2/]);
  await page.getByRole("button", { name: "Show hidden content" }).click();
  await expect(page.getByRole("document", { name: "Text outside the cells" })).toBeVisible();
  await saved(page);
  await expect.poll(() => draftOf(anna)).toMatchObject({ format: "xlsx", marks: 1 });
  await expectAccessible(page);
});

test.describe("on a phone", () => {
  test.use(phone);

  test("a column is marked, and the page fits", async ({ people, open }, info) => {
    const anna = await people.author();
    const path = await tableOf(info, 40);
    const page = await open(anna, "/documents");

    // How wide the columns are is known with the first rows. A click on a heading that moves would miss it.
    let release = () => {};
    const letThrough = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/rows\b/, async (route) => {
      await letThrough;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/rows\b/);
    await importChosen(await choose(page, path), basename(path));
    await asked;
    await expect(gridOf(page).getByRole("rowheader", { name: "1", exact: true })).toBeVisible();
    await expect(gridOf(page).getByRole("columnheader", { name: "town" })).toHaveCount(0);
    release();
    await gridOf(page).getByRole("columnheader", { name: "town" }).tap();
    await page.getByRole("button", { name: "Mark as classified" }).tap();
    await expect(gridOf(page).getByRole("columnheader", { name: "town (classified)" })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  });
});
