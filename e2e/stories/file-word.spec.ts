/** A Word document: its visible and its hidden text is marked, and it arrives byte for byte. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
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
const FILE = sample("office/every-place.docx");
const NAME = "every-place.docx";

test("an author marks a Word document, and it arrives byte for byte", async ({ people, open }) => {
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  const page = await open(anna, "/documents");
  const text = page.getByRole("document", { name: "Text: Text", exact: true });
  let redacted = Buffer.alloc(0);

  await test.step("imports it as what it is", async () => {
    const dialog = await choose(page, FILE);
    await expect(dialog.getByRole("radio", { name: "Word document" })).toBeChecked();
    await expect(dialog.getByRole("radio", { name: "Marked text" })).toHaveCount(0);
    await expectAccessible(page, BOTH);
    await importChosen(dialog, NAME);
    await expect(text).toContainText("Ship XQZVK PLMRT leaves at noon");
  });

  await test.step("sees what hides, and how", async () => {
    await expect(text.getByText("deleted text", { exact: true }).first()).toBeVisible();
    await expect(text.getByText("hidden text", { exact: true }).first()).toBeVisible();
    for (const title of ["Header 1", "Comments", "Properties", "Pictures and other parts"]) {
      await expect(page.getByRole("region", { name: title, exact: true })).toHaveCount(1);
    }
    await expectAccessible(page);
  });

  await test.step("marks by the mouse, and takes it back and forth", async () => {
    await selectByMouse(text, "leaves at noon");
    await expect(page.getByText("Selected: “leaves at noon”")).toBeVisible();
    await pressMark(page);
    await expect(text.locator("mark")).toHaveText(["leaves at noon"]);
    await expect(marksOf(page)).toHaveText([/leaves at noonParagraph 2/]);
    await page.keyboard.press("Control+z");
    await expect(text.locator("mark")).toHaveCount(0);
    await page.keyboard.press("Control+y");
    await expect(text.locator("mark")).toHaveText(["leaves at noon"]);
  });

  await test.step("marks by the keys alone", async () => {
    await page.getByRole("button", { name: "Mark all of Text", exact: true }).focus();
    await page.keyboard.press("Tab");
    await expect(text).toBeFocused();
    await selectByMouse(text, "A report");
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+Control+ArrowRight");
    await page.keyboard.press("Shift+Control+ArrowRight");
    await page.keyboard.press("Control+Shift+s");
    await expect(text.locator("mark").first()).toHaveText("A report");
    await page.keyboard.press("Control+Shift+s");
    await expect(text.locator("mark")).toHaveText(["leaves at noon"]);
  });

  await test.step("marks a whole part, and jumps to a mark", async () => {
    await page.getByRole("button", { name: "Mark all of Comments", exact: true }).click();
    await expect(marksOf(page)).toHaveCount(2);
    await saved(page);
    await marksOf(page).first().getByRole("button").first().click();
    await expect(page.getByRole("region", { name: "Comments", exact: true })).toBeInViewport();
    await expect.poll(() => draftOf(anna)).toMatchObject({ name: NAME, format: "docx", marks: 2 });
    const { classified_bytes, plain_bytes } = await draftOf(anna);
    expect(classified_bytes + plain_bytes).toBe((await readFile(FILE)).length);
    await page.getByRole("button", { name: "What keeps more from travelling plain" }).click();
    await expect(
      page.getByRole("list", { name: "What travels classified" }).getByRole("listitem").first(),
    ).toBeVisible();
    await expectAccessible(page, BOTH);
  });

  await test.step("reads what an eavesdropper gets, and has the redacted edition", async () => {
    await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
    const ear = page.getByRole("dialog", { name: "What an eavesdropper sees" });
    await expect(ear).toContainText("is sent unencrypted");
    await expectAccessible(page, BOTH);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Redacted edition" }).click();
    const edition = page.getByRole("dialog", { name: "Redacted edition" });
    await expect(edition.getByText("every-place.redacted.docx")).toBeVisible();
    const read = edition.getByRole("region", { name: "Text of the redacted edition" });
    await expect(read).toContainText(/A report.*Ship █+/);
    await expect(read).not.toContainText("leaves at noon");
    await expectAccessible(page, BOTH);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      edition.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("every-place.redacted.docx");
    redacted = await readFile(await download.path());
    expect(redacted.subarray(0, 2).toString()).toBe("PK");
    await page.keyboard.press("Escape");
  });

  await test.step("sends it with its redacted edition", async () => {
    await sendOn(page, bruno, rosa);
    await expect(page.getByText("Redacted edition", { exact: true })).toBeVisible();
  });
  await test.step("and the recipient has the very file", async () => {
    await expectSameFile(await open(bruno), NAME, FILE);
  });
  await test.step("and who is not cleared the redacted edition that its author saw", async () => {
    const theirs = await open(rosa);
    await theirs.getByRole("link", { name: NAME }).click();
    const read = theirs.getByRole("document", { name: "Text: Text" });
    await expect(read).toContainText(/A report.*Ship █+/);
    await expect(read).not.toContainText("leaves at noon");
    await expect(theirs.getByRole("link", { name: "Whole document" })).toHaveCount(0);
    await expectAccessible(theirs);
    const [download] = await Promise.all([
      theirs.waitForEvent("download"),
      theirs.getByRole("link", { name: "Redacted", exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("every-place.redacted.docx");
    expect((await readFile(await download.path())).equals(redacted)).toBe(true);
  });
});

/** What a newcomer does, and how often: each click, each field filled, each text selected. */
class Newcomer {
  actions = 0;
  click = (target: Locator) => this.#do(target.click());
  fill = (field: Locator, text: string) => this.#do(field.fill(text));
  select = (text: Locator, words: string) => this.#do(selectByMouse(text, words));
  choose = async (page: Page, button: Locator, file: string) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), this.click(button)]);
    await this.#do(chooser.setFiles(file));
  };

  async #do(action: Promise<void>): Promise<void> {
    this.actions += 1;
    await action;
  }
}

test("a newcomer marks and sends a Word document in at most 15 actions, by what the screen says", async ({
  people,
  pair,
  visit,
}) => {
  const bruno = await people.cleared();
  const json = { name: `nora-${bruno.name}`, display_name: "Nora", is_author: true };
  const { id } = await pair.alpha.admin<{ id: string }>("POST", "/people", { json });
  const { url } = await pair.alpha.admin<{ url: string }>("POST", `/people/${id}/link`);
  const newcomer = new Newcomer();
  const page = await visit(pair.alpha, url);

  await test.step("chooses a password", async () => {
    await expect(page.getByRole("heading", { name: "Welcome, Nora" })).toBeVisible();
    await newcomer.fill(page.getByLabel("New password", { exact: true }), "as long as it has to be");
    await newcomer.click(page.getByRole("button", { name: "Set password and sign in" }));
  });

  await test.step("imports, as the first step says", async () => {
    const steps = page.getByRole("region", { name: "No documents yet. Get started in three steps" });
    await newcomer.choose(page, steps.getByRole("button", { name: "Import" }), sample("producers/libreoffice.docx"));
    const dialog = page.getByRole("dialog", { name: "Import a document" });
    await expect(dialog.getByRole("radio", { name: "Word document" })).toBeChecked();
    await newcomer.click(dialog.getByRole("button", { name: "Import", exact: true }));
  });

  await test.step("marks, as the page says", async () => {
    await expect(page.getByText(/Select what must stay secret and press Mark/)).toBeVisible();
    const text = page.getByRole("document", { name: "Text: Text", exact: true });
    await newcomer.select(text, "green hills");
    await newcomer.click(page.getByRole("button", { name: "Mark as classified" }));
    await expect(text.locator("mark")).toHaveText(["green hills"]);
  });

  await test.step("sends", async () => {
    await newcomer.click(page.getByRole("button", { name: "Send", exact: true }));
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await newcomer.fill(dialog.getByRole("combobox", { name: "Recipients" }), bruno.displayName);
    await newcomer.click(page.getByRole("option", { name: bruno.displayName }));
    await newcomer.click(dialog.getByRole("button", { name: "Send", exact: true }));
    await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  });
  expect(newcomer.actions).toBeLessThanOrEqual(15);
});

test("a damaged Word document is recognised before it is imported, and can go unread", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna, "/documents");
  const whole = await readFile(FILE);
  const file = { name: "cut.docx", mimeType: "application/zip", buffer: whole.subarray(0, whole.length - 200) };
  const dialog = await choose(page, file);
  await expect(dialog.getByText("This file is damaged, or of another type than its name says.")).toBeVisible();
  await expect(dialog.getByRole("radio", { name: "Word document" })).toHaveCount(0);
  await expect(dialog.getByRole("radio", { name: "Classify the whole file" })).toBeChecked();
  await expectAccessible(page);
  await importChosen(dialog, "cut.docx");
  expect(await draftOf(anna)).toMatchObject({ plain_bytes: 0, classified_bytes: file.buffer.length });
  await expectAccessible(page);
});

test("marks from two places are both kept", async ({ people, open, guard, pair }) => {
  guard.allowStatus(412);
  guard.allowOutage(pair.alpha.url);
  const anna = await people.author();
  const page = await open(anna, "/documents");
  await importChosen(await choose(page, FILE), NAME);
  const text = page.getByRole("document", { name: "Text: Text", exact: true });
  await expect(text).toContainText("leaves at noon");
  const { id } = await draftOf(anna);
  await page.context().setOffline(true);
  await selectByMouse(text, "leaves at noon");
  await pressMark(page);
  await anna.api("PUT", `/drafts/${id}/marks`, {
    headers: { "If-Match": '"1"' },
    json: { marks: [{ address: "word/document.xml/p1" }] },
  });
  await page.context().setOffline(false);
  const dialog = page.getByRole("dialog", { name: /^Saved elsewhere at/ });
  await expect(dialog).toBeVisible();
  await expectAccessible(page, BOTH);
  await dialog.getByRole("button", { name: "Keep both" }).click();
  await expect(text.locator("mark")).toHaveText(["A report", "leaves at noon"]);
  await saved(page);
  await expect.poll(() => draftOf(anna)).toMatchObject({ marks: 2 });
});

test.describe("on a phone", () => {
  test.use(phone);

  test("a paragraph is marked by its lock, and listed", async ({ people, open }) => {
    const anna = await people.author();
    const page = await open(anna, "/documents");
    await importChosen(await choose(page, FILE), NAME);
    await page.getByRole("button", { name: "Mark all of Paragraph 2", exact: true }).tap();
    await expect(page.locator("mark").first()).toHaveText("Ship XQZVK PLMRT leaves at noon");
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Classified content" }).tap();
    await expect(marksOf(page)).toHaveCount(1);
    await expectAccessible(page);
  });
});
