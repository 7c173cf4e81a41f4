/** An author's work from the first word to the receipt, with somebody listening on the plain channel all the while. */
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { type Draft, makeDraft } from "../fixtures/seed.ts";
import { selectByMouse } from "../fixtures/selecting.ts";
import { expect, test } from "../fixtures/test.ts";
import { expectOnlyPlain } from "../fixtures/wire.ts";

const BOTH = ["light", "dark"] as const;

const editorOf = (page: Page): Locator => page.getByRole("textbox", { name: "Text of the document" });

/** The text that would travel on the plain channel, as the gateway has it. */
async function plainOf(author: Person): Promise<string> {
  const { items } = await author.api<{ items: Draft[] }>("GET", "/drafts");
  return author.text(`/drafts/${items[0]?.id}/plain`);
}

async function choose(dialog: Locator, person: Person): Promise<void> {
  await dialog.getByRole("combobox", { name: "Recipients" }).fill(person.displayName);
  await dialog.page().getByRole("option", { name: person.displayName }).click();
}

test("an author writes, marks, sends, and has the receipt", async ({ people, open, wire }) => {
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.uncleared()]);
  const page = await open(anna);

  await test.step("writes a new document", async () => {
    await page.getByRole("button", { name: "New document" }).click();
    const naming = page.getByRole("dialog", { name: "New document" });
    await expectAccessible(page, BOTH);
    await naming.getByLabel("Name").fill("berths.txt");
    await naming.getByRole("button", { name: "Create" }).click();
    await expect(editorOf(page)).toBeFocused();
    await expectAccessible(page, BOTH);
    await page.keyboard.type("Berth 3 opens on the sixth of October.\nThe harbour pilot is Wilhelmine Petersen.");
  });

  await test.step("marks by the mouse, and by the keys", async () => {
    await selectByMouse(editorOf(page), "the sixth of October");
    await page.getByRole("group", { name: "The selection" }).getByRole("button", { name: "Mark", exact: true }).click();
    await selectByMouse(editorOf(page), "Wilhelmine Petersen");
    await page.keyboard.press("Control+Shift+S");
    await expect(editorOf(page).locator("mark")).toHaveText(["the sixth of October", "Wilhelmine Petersen"]);
    const spans = page.getByRole("list", { name: "Classified spans" });
    await expect(spans.getByRole("listitem")).toHaveCount(2);
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await expectAccessible(page, BOTH);
  });

  await test.step("looks at it as an eavesdropper would", async () => {
    await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
    const eavesdropped = page.getByRole("region", { name: "What an eavesdropper sees" });
    await expect(eavesdropped).toHaveText("Berth 3 opens on . The harbour pilot is .");
    const shown = (await eavesdropped.locator(".eavesdropped").allTextContents()).join("");
    expect(shown).toBe(await plainOf(anna));
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  });

  await test.step("sends it to who is cleared, and to who is not", async () => {
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await expect(dialog.getByRole("region", { name: "To bravo" })).toBeVisible();
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await expect(dialog.getByText("Choose at least one recipient.")).toBeVisible();
    await choose(dialog, bruno);
    await choose(dialog, rosa);
    await expect(dialog.getByRole("status")).toHaveText(new RegExp(`^${rosa.displayName} is not cleared and will see`));
    // So short a text the gateway would send on the secure channel alone.
    await dialog.getByRole("button", { name: /^Options/ }).click();
    await dialog.getByRole("radio", { name: /^Both channels/ }).check();
    await expectAccessible(page, BOTH);
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
  });

  await test.step("watches it arrive, and verifies the receipt", async () => {
    await expect(page.getByRole("heading", { name: "berths.txt", level: 1 })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
    await page.getByRole("button", { name: "Verify" }).click();
    await expect(page.getByText("All checks passed: the receipt matches the stored document.")).toBeVisible();
    await expectAccessible(page, BOTH);
    const [receipt] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download receipt" }).click(),
    ]);
    expect(receipt.suggestedFilename()).toMatch(/^receipt-.*\.json$/);
    await page.getByRole("link", { name: "Sent", exact: true }).first().click();
    await expect(page.getByRole("listitem").filter({ hasText: "berths.txt" })).toContainText("Delivered");
    await expectAccessible(page, BOTH);
  });

  expectOnlyPlain(wire, {
    plain: "Berth 3 opens on .\nThe harbour pilot is .",
    classified: ["the sixth of October", "Wilhelmine Petersen"],
  });
  const full = (await bruno.api<{ items: { id: string }[] }>("GET", "/inbox")).items[0];
  expect(await bruno.text(`/inbox/${full?.id}/content?edition=marked`)).toBe(
    "Berth 3 opens on <$S>the sixth of October<$E>.\nThe harbour pilot is <$S>Wilhelmine Petersen<$E>.",
  );
});

test("marks are taken back, and put back", async ({ people, open }) => {
  const anna = await people.author();
  const { id } = await makeDraft(anna, "berths.txt", "Berth 3 opens on <$S>the sixth of October<$E>.\n");
  const page = await open(anna, `/documents/${id}`);
  const marks = editorOf(page).locator("mark");
  await expect(marks).toHaveText(["the sixth of October"]);
  await selectByMouse(marks.first(), "sixth of ");
  await page.getByRole("group", { name: "The selection" }).getByRole("button", { name: "Unmark" }).click();
  await expect(marks).toHaveText(["the ", "October"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(marks).toHaveText(["the sixth of October"]);
  await page.getByRole("button", { name: "Redo" }).click();
  await expect(marks).toHaveText(["the ", "October"]);
  await page.getByRole("button", { name: "Unmark “October”" }).click();
  await expect(marks).toHaveText(["the "]);
  await page.keyboard.press("Control+s");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await expect.poll(() => plainOf(anna)).toBe("Berth 3 opens on sixth of October.\n");
});

test("what is wholly readable is sent only by who says that it is meant", async ({ people, open, wire }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "open.txt", "Berths are given in the order of the list.\n");
  const page = await open(anna, `/documents/${id}`);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Send this document" });
  await choose(dialog, bruno);
  await dialog.getByRole("button", { name: /^Options/ }).click();
  await dialog.getByRole("radio", { name: /^Both channels/ }).check();
  await expect(dialog.getByText("Nothing in this document is classified.")).toBeVisible();
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("Tick the box to confirm");
  await expectAccessible(page, BOTH);
  await dialog.getByRole("radio", { name: /^Secure channel only/ }).check();
  await expect(dialog.getByText("Nothing in this document is classified.")).toBeHidden();
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  expect(wire.streams().filter((stream) => stream.includes("order of the list"))).toEqual([]);
});
