/** Authors import files: one or many, with a suggestion for each. Nothing is uploaded before they agree. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectToFitPhone } from "../fixtures/page-checks.ts";
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
async function choose(page: Page, chosen: File | File[] | string): Promise<Locator> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Import", exact: true }).click(),
  ]);
  await chooser.setFiles(chosen);
  return page.getByRole("dialog", { name: /^Import/ });
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
  await expectToFitPhone(page);
  await expect(marked).toBeChecked();
  expect(await kept(anna)).toEqual([]);
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("textbox", { name: "Text of the document" }).locator("mark")).toHaveText(
    "the sixth of October",
  );
  await expect(page.getByRole("heading", { name: "berths.txt", level: 1 })).toBeFocused();
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
  await expectAccessible(page);
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
  await expectToFitPhone(page);
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
  await expect(page.getByRole("button", { name: "Import", exact: true })).toBeVisible();
  await pair.alpha.stop();
  const dialog = await choose(page, file("plain.txt", "No tag in it.\n"));
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await expectAccessible(page);
  await pair.alpha.startAgain();
  expect(await kept(anna)).toEqual([]);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(page).toHaveURL(/\/documents\/[^/]+$/);
  await expect(page.getByRole("heading", { name: "plain.txt", level: 1 })).toBeVisible();
  expect((await kept(anna)).map(({ name }) => name)).toEqual(["plain.txt"]);
});

test("a file or a folder dropped on the page is imported", async ({ people, open }, info) => {
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
  await dialog.getByRole("button", { name: "Import" }).click();

  // In the editor, pasted HTML becomes text, and a file is still imported.
  const text = page.getByRole("textbox", { name: "Text of the document" });
  await expect(text.locator("mark")).toHaveText("the sixth of October");
  await text.evaluate((editor) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/html", "<h2>Pilots</h2><ul><li>Petersen<img src=x></li><li>Vogel</li></ul>");
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(text).toContainText("## Pilots");
  await expect(text).toContainText("- Petersen");
  await expect(page.getByText("Pictures were left out.").first()).toBeVisible();
  await expectAccessible(page);
  await text.dispatchEvent("drop", { dataTransfer: dragged });
  await expect(dialog.getByLabel("Name")).toHaveValue("dropped.txt");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();

  // A folder cannot be made by a script: the browser itself drops it.
  await page.getByRole("link", { name: "Documents", exact: true }).first().click();
  await expect(page.getByRole("heading", { name: "Documents", level: 1 })).toBeVisible();
  const folder = info.outputPath("minutes");
  await mkdir(join(folder, "older"), { recursive: true });
  await writeFile(join(folder, "april.txt"), BERTHS);
  await writeFile(join(folder, "older", "march.txt"), BERTHS);
  await dropFolder(page, folder);
  const list = page.getByRole("dialog", { name: /^Import 2/ });
  await expect(list.getByRole("row", { name: /april\.txt/ })).toBeVisible();
  await expect(list.getByRole("row", { name: /march\.txt/ })).toBeVisible();
  await list.getByRole("button", { name: "Cancel" }).click();
  await expect(list).toBeHidden();
  await mkdir(join(folder, "empty"));
  await dropFolder(page, join(folder, "empty"));
  await expect(page.getByText("The folder has no files.").first()).toBeVisible();

  // Where files are not accepted, the browser must not open them in place of the page either.
  await page.getByRole("link", { name: "Sent", exact: true }).first().click();
  await expect(page.getByRole("heading", { name: "Sent", level: 1 })).toBeVisible();
  const isPrevented = await page
    .getByRole("main")
    .evaluate(
      (main, dataTransfer) =>
        ["dragover", "drop"].map(
          (type) => !main.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })),
        ),
      dragged,
    );
  expect(isPrevented).toEqual([true, true]);
});

async function dropFolder(page: Page, folder: string): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await browser.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  }
  await browser.detach();
}

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

test("a text in Latin-1 is converted; another file is classified as a whole", async ({ people, open }) => {
  const anna = await people.author();
  const page = await open(anna);
  let dialog = await choose(page, file("latin.txt", Buffer.from("one\ncaf\u00e9 deux\n", "latin1")));
  await expect(dialog.getByText("This text is converted from Latin-1 (Windows-1252) to UTF-8.")).toBeVisible();
  await expect(dialog.getByRole("radio", { name: "Literal text" })).toBeChecked();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("textbox", { name: "Text of the document" })).toContainText("caf\u00e9 deux");

  await page.getByRole("link", { name: "Documents" }).first().click();
  const bytes = { name: "sound.wav", mimeType: "audio/wav", buffer: Buffer.from("RIFF\0\xff\xfe\0WAVE", "latin1") };
  dialog = await choose(page, bytes);
  await expect(dialog.getByRole("radio", { name: "Classify the whole file" })).toBeChecked();
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect(page.getByRole("button", { name: "Unmark the whole file" })).toBeVisible();
  await expectAccessible(page);
  expect(await kept(anna)).toMatchObject([
    { name: "sound.wav", document_bytes: 12, classified_bytes: 12 },
    { name: "latin.txt", document_bytes: 15, classified_bytes: 0 },
  ]);
});

test("many files are imported at once, each as suggested, and what is left can be corrected", async ({
  people,
  open,
  guard,
  pair,
}) => {
  guard.allowOutage(pair.alpha.url);
  const anna = await people.author();
  const page = await open(anna);
  const dialog = await choose(page, [
    file("berths.txt", BERTHS),
    file("notes.txt", "No tag in it.\n"),
    file("broken.txt", "three <$E> four\n"),
    file("notes.txt", Buffer.from("caf\u00e9\n", "latin1")),
    { name: "sound.wav", mimeType: "audio/wav", buffer: Buffer.from("RIFF\0\xff", "latin1") },
  ]);
  const as = (name: string) => dialog.getByRole("combobox", { name: `Import ${name} as` });
  await expect(as("berths.txt")).toHaveValue("marked");
  await expect(as("notes.txt")).toHaveValue("literal");
  await expect(as("broken.txt")).toHaveValue("");
  await expect(as("sound.wav")).toHaveValue("whole");
  const row = (name: string) => dialog.getByRole("row").filter({ hasText: name });
  await expect(row("broken.txt")).toContainText("Line 1, column 7: <$E> closes a span, but none is open");
  await expect(row("notes (2).txt")).toContainText("converted from Latin-1");
  await expectAccessible(page, BOTH);
  await expectToFitPhone(page);
  expect(await kept(anna)).toEqual([]);

  await pair.alpha.stop();
  await dialog.getByRole("button", { name: "Import 4 of 5" }).click();
  await expect(row("berths.txt")).toContainText("The file was not imported.");
  await expect(dialog.getByText("0 of 5 imported. 4 failed.")).toBeVisible();
  await expectToFitPhone(page);
  await pair.alpha.startAgain();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(dialog.getByText("4 of 5 imported.")).toBeVisible();
  await expectAccessible(page);
  await as("broken.txt").selectOption("whole");
  await dialog.getByRole("button", { name: "Import all" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("link", { name: "notes (2).txt" })).toBeVisible();
  const all = Object.fromEntries((await kept(anna)).map((one) => [one.name, one.classified_bytes]));
  expect(all).toEqual({ "berths.txt": 20, "notes.txt": 0, "broken.txt": 16, "notes (2).txt": 0, "sound.wav": 6 });
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
  await expectAccessible(page);
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
  await expectAccessible(page);
});
