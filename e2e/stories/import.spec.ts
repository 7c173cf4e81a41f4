/** An author brings files along: nothing is guessed, nothing is half done, and what is refused is said to the letter. */
import { writeFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const BERTHS = "Berth 3 opens on <$S>the sixth of October<$E>,\nas every year.\n";

type File = { name: string; mimeType: string; buffer: Buffer };
const file = (name: string, content: string | Buffer): File => ({
  name,
  mimeType: "text/plain",
  buffer: Buffer.from(content),
});

/** Chooses a file as one does: by the button and the system's dialog. */
async function choose(page: Page, chosen: File | string): Promise<Locator> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Import", exact: true }).click(),
  ]);
  await chooser.setFiles(chosen);
  return page.getByRole("dialog", { name: "Import a document" });
}

type Kept = { items: { name: string; document_bytes: number; classified_bytes: number }[] };
const kept = async (author: Person) => (await author.api<Kept>("GET", "/drafts")).items;

test("a file with tags is imported in the mode that its author chooses", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna);
  let dialog = await choose(page, file("berths.txt", BERTHS));
  await expect(dialog.getByLabel("Name")).toHaveValue("berths.txt");
  const marked = dialog.getByRole("radio", { name: "Marked text" });
  const literal = dialog.getByRole("radio", { name: "Literal text" });
  await expect(marked).toHaveAccessibleDescription(/1 span/);
  await expect(literal).toHaveAccessibleDescription(/Tags stay in the text/);
  await expect(dialog.locator("mark")).toHaveText("the sixth of October");
  await expectAccessible(page, BOTH);
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(dialog.getByText("Choose how to import the file.")).toBeVisible();
  expect(await kept(anna)).toEqual([]);

  await marked.check();
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("textbox", { name: "Text of the document" }).locator("mark")).toHaveText(
    "the sixth of October",
  );
  expect(await kept(anna)).toMatchObject([{ name: "berths.txt", document_bytes: 54, classified_bytes: 20 }]);

  await page.getByRole("link", { name: "Documents" }).first().click();
  dialog = await choose(page, file("tags.txt", BERTHS));
  await dialog.getByRole("radio", { name: "Literal text" }).check();
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("textbox", { name: "Text of the document" })).toContainText(
    "<$S>the sixth of October<$E>",
  );
  expect((await kept(anna))[0]).toMatchObject({ name: "tags.txt", document_bytes: 62, classified_bytes: 0 });
  await page.goto("/documents");
  await expect(page.getByRole("listitem").filter({ hasText: "berths.txt" })).toContainText("37 % classified");
  await expect(page.getByRole("listitem").filter({ hasText: "tags.txt" })).toContainText("Nothing classified");
  await expectAccessible(page, BOTH);
});

test("tags that do not match are refused with line, column and advice", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna);
  const dialog = await choose(page, file("broken.txt", "one\ntwo\nthree <$E> four\n"));
  await dialog.getByRole("radio", { name: "Marked text" }).check();
  const refused = dialog.getByRole("alert");
  await expect(refused).toContainText("Line 3, column 7: ");
  await expect(dialog.getByRole("figure", { name: "Line 3" }).last()).toContainText("three here: <$E>");
  await expect(dialog.getByText("Choose another way to import it, or fix the file and choose it again.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Import" })).toBeDisabled();
  await expectAccessible(page, BOTH);
  expect(await kept(anna)).toEqual([]);

  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    dialog.getByRole("button", { name: "Choose another file" }).click(),
  ]);
  await chooser.setFiles(file("mended.txt", "one\ntwo\n<$S>three<$E> four\n"));
  await dialog.getByRole("radio", { name: "Marked text" }).check();
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page).toHaveURL(/\/documents\/[^/]+$/);
  expect((await kept(anna)).map(({ name }) => name)).toEqual(["mended.txt"]);
});

test("a refused import leaves no draft", async ({ people, open, guard, pair }) => {
  guard.allowOutage(pair.alpha.url);
  const anna = await people.author();
  const page = await open(anna);
  const dialog = await choose(page, file("plain.txt", "No tag in it.\n"));
  await expect(dialog.getByRole("radio", { name: "Literal text" })).toBeChecked();
  await pair.alpha.stop();
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await expectAccessible(page, BOTH);
  await pair.alpha.startAgain();
  expect(await kept(anna)).toEqual([]);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(page).toHaveURL(/\/documents\/[^/]+$/);
  await expect(page.getByRole("heading", { name: "plain.txt", level: 1 })).toBeVisible();
  expect((await kept(anna)).map(({ name }) => name)).toEqual(["plain.txt"]);
});

test("a file dropped on the page is imported", async ({ people, open }) => {
  const page = await open(await people.author());
  await expect(page.getByRole("heading", { name: "Documents", level: 1 })).toBeVisible();
  const dragged = await page.evaluateHandle((text) => {
    const dragging = new DataTransfer();
    dragging.items.add(new File([text], "dropped.txt", { type: "text/plain" }));
    return dragging;
  }, BERTHS);
  await page.getByRole("main").dispatchEvent("dragenter", { dataTransfer: dragged });
  await expect(page.getByText("Drop to import")).toBeVisible();
  await expectAccessible(page, BOTH);
  await page.getByRole("main").dispatchEvent("drop", { dataTransfer: dragged });
  const dialog = page.getByRole("dialog", { name: "Import a document" });
  await expect(dialog.getByLabel("Name")).toHaveValue("dropped.txt");
  await expect(page.getByText("Drop to import")).toBeHidden();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
});

test("a name of 300 characters is accepted, a longer one is not", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna);
  const name = `${"long ".repeat(59)}long.`;
  expect(name).toHaveLength(300);
  const dialog = await choose(page, file(`${name}x`, "Short.\n"));
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(dialog.getByText("The name must be 300 characters or fewer. It has 301.")).toBeVisible();
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/\/documents\/[^/]+$/);
  expect((await kept(anna)).map((one) => one.name)).toEqual([name]);
  await page.goto("/documents");
  await expect(page.getByRole("link", { name })).toBeVisible();
  await expectAccessible(page);
});

test("a file that is not UTF-8 text is bytes, and all of it can be classified", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna);
  const dialog = await choose(page, file("latin.txt", Buffer.from("one\ncaf\u00e9 deux\n", "latin1")));
  await expect(dialog.getByText(/not valid UTF-8 text from line 2, column 4\. Save it as UTF-8/)).toBeVisible();
  await expect(dialog.getByRole("radio", { name: "Marked text" })).toHaveCount(0);
  await expect(dialog.getByRole("radio", { name: "Other file" })).toBeChecked();
  await expectAccessible(page, BOTH);
  await dialog.getByRole("radio", { name: "Classify the whole file" }).check();
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page).toHaveURL(/\/documents\/[^/]+$/);
  await expect(page.getByRole("button", { name: "Unmark the whole file" })).toBeVisible();
  await expectAccessible(page);
  expect(await kept(anna)).toMatchObject([{ document_bytes: 14, classified_bytes: 14 }]);
});

/** Every hundredth line holds a span. */
function linesOf(bytes: number): string {
  const plain = "Berths are given in the order of the list, and the list is kept at the gate.\n";
  const page = `Berth 3 opens on <$S>the sixth of October<$E>.\n${plain.repeat(99)}`;
  return page.repeat(Math.ceil(bytes / page.length));
}

test("30 MB are uploaded as a stream, and the editor lays out only the visible part", async ({
  people,
  open,
}, info) => {
  const anna = await people.author();
  const page = await open(anna);
  const path = info.outputPath("large.txt");
  await writeFile(path, linesOf(30e6));
  const dialog = await choose(page, path);
  await dialog.getByRole("radio", { name: "Marked text" }).check();
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page).toHaveURL(/\/documents\/[^/]+$/, { timeout: 30_000 });
  const text = page.getByRole("textbox", { name: "Text of the document" });
  await expect(text).toContainText("Berth 3 opens on the sixth of October.");
  await expect(text.locator("mark").first()).toHaveText("the sixth of October");
  await expect(page.getByRole("button", { name: "Send", exact: true })).toBeVisible();
  await expectAccessible(page, BOTH);
});

test("a text that is too large to edit opens read-only", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna);
  const dialog = await choose(page, file("long.txt", `${linesOf(3e6)}<$S><$E>`));
  await dialog.getByRole("radio", { name: "Marked text" }).check();
  await dialog.getByRole("button", { name: "Import" }).click();
  const read = page.getByRole("article", { name: "long.txt" });
  await expect(read).toContainText("Berth 3 opens on the sixth of October.");
  await expect(page.getByText("You can still send and download it.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Text of the document" })).toHaveCount(0);
  await page.getByRole("button", { name: "Next classified part" }).click();
  await expect(page.getByRole("group", { name: "Classified parts" })).toContainText(/^1 of \d+ classified/);
  await expectAccessible(page, BOTH);
});
