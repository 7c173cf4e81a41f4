/** A text that is too long for pages is written, marked and sent all the same, and arrives to the byte. */
import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/looks.ts";
import { delivered, makeDraft } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const LINE = "Berth 12 is free until noon; the pilot is J. Doe.\r\n";
const LINES = 60_000;

const textOf = (page: Page) => page.getByRole("textbox", { name: "Text of the document" });
const spansOf = (page: Page) => page.locator("[data-spans]");

test("found, marked, typed in, looked at as an eavesdropper, sent", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "log of the harbour.txt", LINE.repeat(LINES));
  const page = await open(anna, `/documents/${id}`);
  const { keyboard } = page;
  await expect(textOf(page)).toContainText("Berth 12 is free");

  await test.step("all places of a name, in one step", async () => {
    await textOf(page).click();
    await keyboard.press("Control+f");
    await expect(page.getByRole("textbox", { name: "Find in the document" })).toBeFocused();
    await keyboard.type("j. doe");
    await expect(page.getByRole("search").getByRole("status")).toHaveText(/of 60,000$/);
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "Mark all 60,000" }).click();
    await keyboard.press("Escape");
    await expect(spansOf(page)).toHaveText("60,000");
  });

  await test.step("text at the end of a span is classified, and undo takes it back", async () => {
    await keyboard.press("Control+Home");
    await keyboard.press("F8");
    await expect(page.getByText("Classified here")).toBeVisible();
    await keyboard.press("ArrowRight");
    await keyboard.type(" Jr?");
    await expect(textOf(page).locator("mark").first()).toHaveText("J. Doe Jr?");
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await keyboard.press("Control+z");
    await expect(textOf(page).locator("mark").first()).toHaveText("J. Doe");
  });

  await test.step("the eavesdropper sees neither the name nor its length", async () => {
    await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
    await expect(textOf(page)).not.toContainText("J. Doe");
    await expect(textOf(page).getByRole("img", { name: "withheld" }).first()).toBeVisible();
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  });

  await test.step("it arrives to the byte", async () => {
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await expectAccessible(page, BOTH);
    const draft = await anna.api<{ document_id: string; classified_bytes: number }>("GET", `/drafts/${id}`);
    expect(draft.classified_bytes).toBe(6 * LINES);
    const json = { document_id: draft.document_id, peer: bruno.gateway.name, recipients: [bruno.name] };
    const { id: transfer } = await anna.api<{ id: string }>("POST", "/transfers", { json });
    await delivered(anna, transfer);
    const marked = await bruno.text(`/inbox/${transfer}/content?edition=marked`);
    expect(marked).toBe(LINE.replace("J. Doe", "<$S>J. Doe<$E>").repeat(LINES));
  });
});

test.describe("on a phone", () => {
  test.use(phone);

  test("it is marked, too", async ({ people, open }) => {
    const anna = await people.author();
    const { id } = await makeDraft(anna, "log.txt", LINE.repeat(LINES));
    const page = await open(anna, `/documents/${id}`);
    await expect(textOf(page)).toContainText("Berth 12 is free");
    await textOf(page)
      .getByText("Berth")
      .first()
      .click({ position: { x: 30, y: 14 } });
    await page.getByRole("button", { name: "Mark as classified" }).click();
    await expect(textOf(page).locator("mark")).toHaveCount(1);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
  });
});
