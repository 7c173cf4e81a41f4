/**
 * The main stories in a stock Firefox: writing, marking and sending; reading with and without clearance; both also on
 * a phone's screen. The other stories run in Chromium alone.
 */
import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../fixtures/page-checks.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { boxOf, selectByMouse } from "../fixtures/selecting.ts";
import { expect, test } from "../fixtures/test.ts";
import { GAPS, SECRETS, sendBerths } from "../fixtures/unique-document.ts";
import { expectOnlyPlain } from "../fixtures/wire.ts";

const NARROW = { width: 390, height: 844 };

const editorOf = (page: Page): Locator => page.getByRole("textbox", { name: "Text of the document" });

/** Types key by key: Playwright's `fill` is not an event that React hears in this browser. */
async function type(field: Locator, text: string): Promise<void> {
  await field.click();
  await field.page().keyboard.press("ControlOrMeta+a");
  await field.pressSequentially(text);
}

test("an author writes, marks and sends", async ({ people, open, wire }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const page = await open(anna);
  await page.getByRole("button", { name: "New document" }).click();
  const naming = page.getByRole("dialog", { name: "New document" });
  await type(naming.getByLabel("Name"), "berths.txt");
  await naming.getByRole("button", { name: "Create" }).click();
  await expect(editorOf(page)).toBeFocused();
  await page.keyboard.type("Berth 3 opens on the sixth of October.\nThe harbour pilot is Wilhelmine Petersen.");

  await selectByMouse(editorOf(page), "the sixth of October");
  await page.getByRole("group", { name: "The selection" }).getByRole("button", { name: "Mark", exact: true }).click();
  await selectByMouse(editorOf(page), "Wilhelmine Petersen");
  await page.keyboard.press("Control+Shift+S");
  await expect(editorOf(page).locator("mark")).toHaveText(["the sixth of October", "Wilhelmine Petersen"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(editorOf(page).locator("mark")).toHaveText(["the sixth of October"]);
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(editorOf(page).locator("mark")).toHaveText(["the sixth of October", "Wilhelmine Petersen"]);
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  await expect(page.getByRole("region", { name: "What an eavesdropper sees" })).toHaveText(
    "Berth 3 opens on . The harbour pilot is .",
  );
  await expectAccessible(page);

  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Send this document" });
  await type(dialog.getByRole("combobox", { name: "Recipients" }), bruno.displayName);
  await page.getByRole("option", { name: bruno.displayName }).click();
  await dialog.getByRole("button", { name: /^Options/ }).click();
  await dialog.getByRole("radio", { name: /^Both channels/ }).check();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  await expectAccessible(page);

  expectOnlyPlain(wire, {
    plain: "Berth 3 opens on .\nThe harbour pilot is .",
    classified: ["the sixth of October", "Wilhelmine Petersen"],
  });
});

test("an author marks and sends on a phone's screen", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "berths.txt", "Berth 3 opens on Sunday. The pilot is Wilhelmine.\n");
  const page = await open(anna, `/documents/${id}`);
  await page.setViewportSize(NARROW);
  const tools = page.getByRole("toolbar", { name: "Text tools" });
  await expect(tools).toBeInViewport({ ratio: 1 });
  const { left, middle } = await boxOf(editorOf(page), "Wilhelmine");
  await page.mouse.click(left + 8, middle);
  await tools.getByRole("button", { name: "Mark as classified" }).click();
  await expect(editorOf(page).locator("mark")).toHaveText(["Wilhelmine"]);
  await tools.getByRole("button", { name: "What an eavesdropper sees" }).click();
  await expect(page.getByRole("region", { name: "What an eavesdropper sees" })).toContainText("The pilot is .");
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);

  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Send this document" });
  await type(dialog.getByRole("combobox", { name: "Recipients" }), bruno.displayName);
  await page.getByRole("option", { name: bruno.displayName }).click();
  await expectNoSidewaysScroll(page);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  await expectNoSidewaysScroll(page);
});

test("a cleared recipient reads what arrives", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const page = await open(bruno);
  await expect(page.getByRole("heading", { name: "No documents yet" })).toBeVisible();
  await sendBerths(anna, bruno);
  await page.getByRole("link", { name: "Unread: berths.txt" }).click();
  const parts = page.getByRole("group", { name: "Classified parts" });
  await expect(parts).toContainText("4 classified");
  await parts.getByRole("button", { name: "Next classified part" }).click();
  await expect(page.getByRole("article", { name: "berths.txt" }).getByText(SECRETS[0] ?? "")).toBeInViewport();
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByText("All checks passed: the receipt matches the stored document.")).toBeVisible();
  await expectAccessible(page);
});

test("a recipient without clearance reads the redacted edition on a narrow screen", async ({ people, open }) => {
  const [anna, rosa] = await Promise.all([people.author(), people.uncleared()]);
  await sendBerths(anna, rosa);
  const page = await open(rosa);
  await page.setViewportSize(NARROW);
  await page.getByRole("link", { name: "Unread: berths.txt" }).click();
  const bars = page.getByRole("article", { name: "berths.txt" }).getByRole("img", { name: "withheld" });
  await expect(bars).toHaveCount(GAPS);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
