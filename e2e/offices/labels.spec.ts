/** Where an office has labels: spans carry them, the banner is the highest, and nothing is lowered in silence. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { sample } from "../fixtures/files.ts";
import { officeWith } from "../fixtures/office.ts";
import { expectAccessible, expectNoSidewaysScroll } from "../fixtures/page-checks.ts";
import { printed } from "../fixtures/printed.ts";
import { type Draft, delivered, makeDraft, send } from "../fixtures/seed.ts";
import { selectByMouse } from "../fixtures/selecting.ts";
import { expect } from "../fixtures/test.ts";

const test = officeWith({ SIEVE_LABELS: "nato" });

const BOTH = ["light", "dark"] as const;
const TEXT = "The fleet leaves <$S>at dawn<$E>.\nIts pilot is <$S>Wilhelmine<$E>.\n";

const editorOf = (page: Page): Locator => page.getByRole("textbox", { name: "Text of the document" });
const bannerOf = (page: Page): Locator => page.getByRole("region", { name: "Banner" });
const spansOf = (page: Page): Locator => page.getByRole("list", { name: "Classified spans" });

async function label(page: Page, word: string, name: string): Promise<void> {
  await selectByMouse(editorOf(page), word);
  await page.getByRole("toolbar", { name: "Text tools" }).getByRole("button", { name: "Label" }).click();
  await page.getByRole("menuitem", { name, exact: true }).click();
}

test("spans are labelled, and the banner follows, is raised, and lowered with a reason", async ({
  people,
  open,
  guard,
}) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "orders.txt", TEXT);
  const page = await open(anna, `/documents/${id}`);

  await test.step("a span is labelled, in the text and in the list", async () => {
    await expect(spansOf(page).getByText("NATO RESTRICTED").first()).toBeVisible();
    await expect(bannerOf(page)).toContainText("NATO RESTRICTED");
    await label(page, "dawn", "NATO SECRET");
    await expect(editorOf(page).locator(".span-label")).toHaveAttribute("data-label", "NATO SECRET");
    await expect(spansOf(page).getByRole("button", { name: /^at dawn.*NATO SECRET/ })).toBeVisible();
    await expect(bannerOf(page)).toContainText("NATO SECRET");
    await expectAccessible(page, BOTH);
  });

  await test.step("a span is labelled by the keys alone, and it is said", async () => {
    const said = page.locator("[aria-live=polite]");
    await editorOf(page).click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Control+Shift+l");
    await expect(said.getByText("There is no classified span here to label.")).toBeAttached();
    await page.keyboard.press("Shift+F8");
    await page.keyboard.press("Control+Shift+l");
    await expect(page.getByRole("menu")).toBeVisible();
    await expectAccessible(page, BOTH);
    await page.keyboard.type("nato conf");
    await expect(page.getByRole("menuitem", { name: "NATO CONFIDENTIAL" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(said.getByText("1 span: NATO CONFIDENTIAL")).toBeAttached();
    await expect(editorOf(page)).toBeFocused();
    await expect(spansOf(page).getByRole("button", { name: /^Wilhelmine.*NATO CONFIDENTIAL/ })).toBeVisible();
  });

  await test.step("it stays with its text, also after the page is loaded again", async () => {
    await page.reload();
    await expect(editorOf(page).locator(".span-label").first()).toHaveAttribute("data-label", "NATO SECRET");
  });

  await test.step("the banner is raised with a reason", async () => {
    await bannerOf(page).getByRole("button", { name: "Raise" }).click();
    const dialog = page.getByRole("dialog", { name: "Raise the banner" });
    await dialog.getByLabel("Why the whole document needs a higher label").fill("Place and time together");
    await expectAccessible(page, BOTH);
    await dialog.getByRole("button", { name: "Raise" }).click();
    await expect(bannerOf(page)).toContainText("COSMIC TOP SECRET");
    await expect(bannerOf(page)).toContainText("Raised from NATO SECRET: Place and time together");
    await expectAccessible(page, BOTH);
  });

  await test.step("lowering wants to be said", async () => {
    guard.allowStatus(409);
    await label(page, "dawn", "NATO CONFIDENTIAL");
    const dialog = page.getByRole("dialog", { name: "Lower the banner?" });
    await dialog.getByLabel("Why it can be lowered").fill("The date has passed");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Lower" }).click();
    await expect(editorOf(page).locator(".span-label").first()).toHaveAttribute("data-label", "NATO CONFIDENTIAL");
    await expect(bannerOf(page)).toContainText("COSMIC TOP SECRET");
  });

  await test.step("the dialog shows it before sending, and fits a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill(bruno.displayName);
    await page.getByRole("option", { name: bruno.displayName }).click();
    await expect(dialog.getByText("COSMIC TOP SECRET")).toBeVisible();
    await expectAccessible(page);
  });
});

test("spans of a long text are labelled, too", async ({ people, open, guard }) => {
  const anna = await people.author();
  const line = "Berth 12 is free until noon, and the tide is at four.\n";
  const { id } = await makeDraft(anna, "log.txt", TEXT + line.repeat(40_000));
  const page = await open(anna, `/documents/${id}`);
  const { keyboard } = page;
  const labels = editorOf(page).locator(".span-label");
  await expect(bannerOf(page)).toContainText("NATO RESTRICTED");
  await editorOf(page).click();
  await keyboard.press("Control+Home");
  await keyboard.press("F8");
  await keyboard.press("Control+Shift+l");
  await expect(page.getByRole("menu")).toBeVisible();
  await expectAccessible(page);
  await keyboard.type("nato sec");
  await expect(page.getByRole("menuitem", { name: "NATO SECRET" })).toBeFocused();
  await keyboard.press("Enter");
  await expect(page.locator("[aria-live=polite]").getByText("1 span: NATO SECRET")).toBeAttached();
  await expect(editorOf(page)).toBeFocused();
  await expect(labels).toHaveAttribute("data-label", "NATO SECRET");
  await expect(spansOf(page).getByRole("button", { name: /^at dawn.*NATO SECRET/ })).toBeVisible();
  await expect(bannerOf(page)).toContainText("NATO SECRET");
  await expectAccessible(page, BOTH);

  await test.step("it stays with its text from save to save", async () => {
    await keyboard.press("Control+Home");
    await keyboard.type("New: ");
    await expect(page.getByText("Saved", { exact: true })).toBeVisible({ timeout: 60_000 });
    await page.reload();
    await expect(labels).toHaveText("a");
    await expect(labels).toHaveAttribute("data-label", "NATO SECRET");
  });

  await test.step("lowering wants to be said", async () => {
    guard.allowStatus(409);
    await editorOf(page).click();
    await keyboard.press("Control+Home");
    await keyboard.press("F8");
    await page.getByRole("toolbar", { name: "Text tools" }).getByRole("button", { name: "Label" }).click();
    await page.getByRole("menuitem", { name: /^Default/ }).click();
    const dialog = page.getByRole("dialog", { name: "Lower the banner?" });
    await dialog.getByLabel("Why it can be lowered").fill("The date has passed");
    await dialog.getByRole("button", { name: "Lower" }).click();
    await expect(labels).toHaveCount(0);
    await expect(bannerOf(page)).toContainText("NATO RESTRICTED");
  });

  await test.step("it fits a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  });
});

test("labels of a file come with its marks, on the page and on each page of paper", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const sendFile = async (name: string, body: Uint8Array<ArrayBuffer>, marks: object[]) => {
    const { id } = await anna.api<Draft>("POST", "/drafts", { query: { form: "file", name }, body });
    const headers = { "If-Match": '"1"' };
    const draft = await anna.api<Draft>("PUT", `/drafts/${id}/marks`, { json: { marks }, headers });
    await delivered(anna, await send(anna, draft, bruno));
  };
  const [word, pdf] = await Promise.all(
    ["office/every-place.docx", "pdf/reportlab.pdf"].map((path) => readFile(sample(path))),
  );
  await sendFile("memo.docx", Uint8Array.from(word ?? []), [
    { address: "word/document.xml/p2", start: 5, end: 16, label: "NATO SECRET" },
  ]);
  await sendFile("pages.pdf", Uint8Array.from(pdf ?? []), [
    { address: "page/1", start: 4, end: 9, label: "NATO CONFIDENTIAL" },
    { address: "page/2", label: "NATO SECRET" },
  ]);
  const table = new TextEncoder().encode("ship,berth\nAlba,secret\nBoreas,12\n");
  await sendFile("berths.csv", table, [{ address: "row/1/berth", label: "GEHEIM" }]);
  const page = await open(bruno, "/inbox");
  const show = async (name: string) => {
    await page.getByRole("link", { name: "Inbox" }).first().click();
    await page.getByRole("link", { name, exact: false }).first().click();
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  };
  const fits = async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectAccessible(page, BOTH);
  };

  await test.step("of a Word file, beside the text", async () => {
    await show("memo.docx");
    await expect(bannerOf(page)).toContainText("NATO SECRET");
    await expect(page.locator("mark.classified")).toHaveAttribute("data-label", "NATO SECRET");
    await fits();
    const [first = ""] = await printed(page);
    expect(first).toContain("NATO SECRET · Contains classified text");
    expect(first).toContain("XQZVK PLMRT");
  });

  await test.step("of a PDF, page by page", async () => {
    await show("pages.pdf");
    await expect(page.getByRole("region", { name: "Page 1", exact: true })).toContainText("NATO CONFIDENTIAL");
    await fits();
    const pages = await printed(page);
    expect(pages).toHaveLength(4);
    for (const text of pages) expect(text).toContain("NATO SECRET · Contains classified text");
    expect(pages[1]).toContain("Page 1, classified");
    expect(pages[1]).toContain("NATO CONFIDENTIAL");
    expect(pages[3]).toMatch(/Page 3(?!, classified)/);
    await expect(page.locator("figure .pdf-marked")).toHaveText(["green"]);
  });

  await test.step("of a table, also where this gateway does not know them", async () => {
    await show("berths.csv");
    await expect(bannerOf(page)).toContainText("GEHEIM");
    await expect(page.getByRole("gridcell", { name: "secret GEHEIM (classified)" })).toBeVisible();
    await fits();
    const [first = ""] = await printed(page);
    expect(first).toContain("GEHEIM · Contains classified text");
  });
});
