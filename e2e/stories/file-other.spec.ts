/** A file of a kind that is not understood: all of it is classified, or ranges of its bytes. */
import { writeFile } from "node:fs/promises";
import { choose, draftOf, expectSameFile, importChosen, marksOf, saved, sendOn } from "../fixtures/files.ts";
import { expectAccessible, expectNoSidewaysScroll, narrow } from "../fixtures/page-checks.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const NAME = "firmware.bin";
/** 3,000 bytes, of which the first cannot begin a text. */
const BYTES = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 37 + 255) % 256));

test("an author classifies ranges of bytes, and the file arrives byte for byte", async ({ people, open }, info) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const path = info.outputPath(NAME);
  await writeFile(path, BYTES);
  const page = await open(anna, "/documents");

  await test.step("imports it", async () => {
    const dialog = await choose(page, path);
    await expect(dialog.getByRole("radio", { name: "Classify the whole file" })).toBeChecked();
    await expectAccessible(page);
    await dialog.getByRole("radio", { name: "Other file" }).check();
    await importChosen(dialog, NAME);
    await expect(page.getByText(/you must confirm the plain part/)).toBeVisible();
    await expectAccessible(page);
  });

  await test.step("the author reads what is wrong with a range", async () => {
    await page.getByLabel("From byte").fill("5000");
    await page.getByLabel("To byte (exclusive)").fill("10");
    await page.getByRole("button", { name: "Mark these bytes" }).click();
    await expect(page.getByText("The file has bytes 0 to 2,999.")).toBeVisible();
    await expect(page.getByLabel("From byte")).toBeFocused();
    await expectAccessible(page);
  });

  await test.step("marks ranges by the keys alone", async () => {
    await page.getByLabel("From byte").fill("100");
    await page.getByLabel("To byte (exclusive)").fill("0xC8");
    await expect(page.getByText("100 bytes", { exact: true })).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(marksOf(page)).toHaveText([/Bytes 100 to 200/]);
    await page.keyboard.type("2,900");
    await page.keyboard.press("Tab");
    await page.keyboard.type("3,000");
    await page.keyboard.press("Enter");
    await expect(marksOf(page)).toHaveText([/Bytes 100 to 200/, /Bytes 2,900 to 3,000/]);
    await saved(page);
    await expect
      .poll(() => draftOf(anna))
      .toMatchObject({ format: "bytes", classified_bytes: 200, plain_bytes: 2_800 });
    await expectAccessible(page, BOTH);
  });

  await test.step("takes one back", async () => {
    await page.getByRole("button", { name: "Unmark Bytes 100 to 200" }).click();
    await expect(marksOf(page)).toHaveCount(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(marksOf(page)).toHaveCount(2);
    await saved(page);
  });

  await test.step("sends it", () => sendOn(page, bruno));
  await test.step("and the recipient has the very file", async () => {
    await expectSameFile(await open(bruno), NAME, path);
  });
});

test.describe("on the narrowest phone", () => {
  test.use(narrow);

  test("all of a file is classified by one button", async ({ people, open }) => {
    const anna = await people.author();
    const page = await open(anna, "/documents");
    const dialog = await choose(page, { name: NAME, mimeType: "", buffer: BYTES });
    await dialog.getByRole("radio", { name: "Other file" }).check();
    await importChosen(dialog, NAME);
    await page.getByRole("button", { name: "Classify the whole file" }).tap();
    await expect(page.getByRole("button", { name: "Unmark the whole file" })).toBeVisible();
    await expect.poll(() => draftOf(anna)).toMatchObject({ classified_bytes: 3_000, plain_bytes: 0 });
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  });
});
