/** OpenDocument files, web pages and RTF documents are marked by hand, and their redacted edition has a marker there. */
import { choose, draftOf, importChosen, marksOf, pressMark, sample, saved } from "../fixtures/files.ts";
import { selectByMouse } from "../fixtures/selecting.ts";
import { expect, test } from "../fixtures/test.ts";

for (const { ending, kind } of [
  { ending: "odt", kind: "OpenDocument text" },
  { ending: "html", kind: "Web page" },
  { ending: "rtf", kind: "RTF document" },
]) {
  test(`words of an .${ending} file are marked`, async ({ people, open }) => {
    const anna = await people.author();
    const page = await open(anna, "/documents");
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
    await page.getByRole("button", { name: "Redacted edition" }).click();
    await expect(page.getByRole("dialog", { name: "Redacted edition" })).toContainText("lie open, and the ferry");
    await expect(page.getByRole("dialog", { name: "Redacted edition" })).not.toContainText("green hills");
  });
}

test("cells of an .ods file are marked", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna, "/documents");
  await importChosen(await choose(page, sample("producers/libreoffice.ods")), "libreoffice.ods");
  const grid = page.getByRole("grid", { name: "Sheet Pay" });
  await grid.getByRole("gridcell", { name: "61250", exact: true }).click();
  await expect(page.getByText("Selected:")).toBeVisible();
  await pressMark(page);
  await expect(grid.getByRole("gridcell", { name: "61250 (classified)" })).toBeVisible();
  await saved(page);
  await expect.poll(() => draftOf(anna)).toMatchObject({ format: "ods", marks: 1 });
});
