/** OpenDocument files, web pages and RTF documents are marked by hand and sent; others get a redacted edition of them. */
import {
  choose,
  draftOf,
  expectRedacted,
  expectSameFile,
  importChosen,
  marksOf,
  pressMark,
  sample,
  saved,
  sendOn,
} from "../fixtures/files.ts";
import { expectAccessible, expectNoSidewaysScroll, expectToFitPhone, phone } from "../fixtures/page-checks.ts";
import { selectByMouse } from "../fixtures/selecting.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const TEXTS = [
  { ending: "odt", kind: "OpenDocument text" },
  { ending: "html", kind: "Web page" },
  { ending: "rtf", kind: "RTF document" },
];
const CELLS = { ending: "ods", secret: "61250" };

test("words of .odt, .html and .rtf files are marked and sent, and cells of .ods files", async ({ people, open }) => {
  test.slow(); // four files, and three people who look at each
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  const page = await open(anna, "/documents");

  for (const { ending, kind } of TEXTS) {
    await test.step(`words of an .${ending} file`, async () => {
      const name = `libreoffice.${ending}`;
      const dialog = await choose(page, sample(`producers/${name}`));
      await expect(dialog.getByRole("radio", { name: kind })).toBeChecked();
      await importChosen(dialog, name);
      const text = page.getByRole("document", { name: "Text: Text", exact: true });
      await selectByMouse(text, "green hills");
      await expect(page.getByText("Selected: “green hills”")).toBeVisible();
      await pressMark(page);
      await expect(text.locator("mark")).toHaveText(["green hills"]);
      await expect(marksOf(page)).toHaveText([/green hills/]);
      await saved(page);
      await expect.poll(() => draftOf(anna)).toMatchObject({ format: ending, marks: 1 });
      // The others are shown by the same parts of the page.
      if (ending === "odt") await expectToFitPhone(page);
      await page.getByRole("button", { name: "Redacted edition" }).click();
      const edition = page.getByRole("dialog", { name: "Redacted edition" });
      await expect(edition).toContainText("lie open, and the ferry");
      await expect(edition).not.toContainText("green hills");
      if (ending === "odt") {
        await expectAccessible(page, BOTH);
        await page.setViewportSize(phone.viewport);
        await expectNoSidewaysScroll(page);
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      await page.keyboard.press("Escape");
      await sendOn(page, bruno, rosa);
      await page.getByRole("link", { name: "Documents" }).first().click();
    });
  }

  await test.step("cells of an .ods file", async () => {
    await importChosen(await choose(page, sample("producers/libreoffice.ods")), "libreoffice.ods");
    const grid = page.getByRole("grid", { name: "Sheet Pay" });
    await grid.getByRole("gridcell", { name: "61250", exact: true }).click();
    await expect(page.getByText("Selected:")).toBeVisible();
    await pressMark(page);
    await expect(grid.getByRole("gridcell", { name: "61250 (classified)" })).toBeVisible();
    await saved(page);
    await expect.poll(() => draftOf(anna)).toMatchObject({ format: "ods", marks: 1 });
    await expectAccessible(page, BOTH);
    await expectToFitPhone(page);
    await sendOn(page, bruno, rosa);
  });

  await test.step("the cleared have the very files, others none of what is marked", async () => {
    const [all, left] = await Promise.all([open(bruno, "/inbox"), open(rosa, "/inbox")]);
    for (const { ending, secret } of [...TEXTS.map((one) => ({ ...one, secret: "green hills" })), CELLS]) {
      const name = `libreoffice.${ending}`;
      await expectSameFile(all, name, sample(`producers/${name}`));
      await expectRedacted(left, name, sample(`producers/${name}`), secret);
      await expect(left.getByText(secret)).toHaveCount(0);
      for (const page of [all, left]) await page.getByRole("link", { name: "Inbox" }).first().click();
    }
  });
});
