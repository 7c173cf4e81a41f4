/** A picture: it is classified as a whole, or areas of it are drawn; the redacted edition is black there. */
import type { Page } from "@playwright/test";
import { drawByFinger, drawByMouse } from "../fixtures/drawing.ts";
import { choose, draftOf, expectSameFile, importChosen, marksOf, sample, saved, sendOn } from "../fixtures/files.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const NAME = "matplotlib.png";
const FILE = sample(`producers/${NAME}`);

const picture = (page: Page) => page.getByRole("region", { name: "Picture", exact: true });

async function shown(page: Page): Promise<void> {
  const image = picture(page).getByRole("img");
  await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth)).toBeTruthy();
}

test("an author draws areas on a picture, by mouse and by numbers, and it arrives byte for byte", async ({
  people,
  open,
}) => {
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  const page = await open(anna, "/documents");

  await test.step("imports it: all of it is classified", async () => {
    const dialog = await choose(page, FILE);
    await expect(dialog.getByRole("radio", { name: "Picture (.png)" })).toBeChecked();
    await importChosen(dialog, NAME);
    await shown(page);
    await expect(picture(page)).toContainText("Classified. The redacted edition does not show it.");
    await expect(marksOf(page)).toHaveText([/The picture/]);
    expect(await draftOf(anna)).toMatchObject({ format: "png", marks: 1, plain_bytes: 0 });
    await expectAccessible(page, BOTH);
  });

  await test.step("draws an area by mouse", async () => {
    await picture(page).getByRole("button", { name: "Mark areas instead" }).click();
    await expect(picture(page)).toContainText("Not marked");
    await drawByMouse(picture(page).getByRole("img"));
    await expect(marksOf(page)).toHaveText([/Area /]);
    await expect(picture(page)).toContainText("black where an area is marked");
    await expectAccessible(page, BOTH);
  });

  await test.step("marks another one by the keyboard, and unmarks it", async () => {
    await picture(page).getByText("Mark an area by numbers").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowUp");
    for (const value of ["0", "10", "12"]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(value);
    }
    await page.keyboard.press("Enter");
    await expect(marksOf(page)).toHaveCount(2);
    await picture(page).getByRole("button", { name: "Unmark area 2" }).press("Enter");
    await expect(marksOf(page)).toHaveCount(1);
    await saved(page);
  });

  await test.step("sees the edition, and sends it", async () => {
    await page.getByRole("button", { name: "Redacted edition" }).click();
    const dialog = page.getByRole("dialog", { name: "Redacted edition" });
    await expect(dialog.getByRole("img")).toBeVisible();
    await dialog.getByRole("button", { name: "Close", exact: true }).first().click();
    await sendOn(page, bruno, rosa);
  });

  await test.step("a cleared recipient gets the file, others the picture without the area", async () => {
    await expectSameFile(await open(bruno, "/inbox"), NAME, FILE);
    const theirs = await open(rosa, "/inbox");
    await theirs.getByRole("link", { name: NAME }).first().click();
    await shown(theirs);
    await expect(theirs.getByText("Classified areas are covered in black.")).toBeVisible();
  });
});

test.describe("on a phone", () => {
  test.use(phone);

  test("a finger draws an area on a phone", async ({ people, open }) => {
    const anna = await people.author();
    const page = await open(anna, "/documents");
    await importChosen(await choose(page, FILE), NAME);
    await shown(page);
    await picture(page).getByRole("button", { name: "Mark areas instead" }).click();
    await picture(page).getByRole("button", { name: "Draw areas" }).click();
    await drawByFinger(picture(page).getByRole("img"));
    await expect(picture(page)).toContainText("black where an area is marked");
    await expectNoSidewaysScroll(page);
  });
});
