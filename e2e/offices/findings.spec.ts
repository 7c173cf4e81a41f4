/** Before a document is sent the gateway looks through it: what it finds is shown, mended, or confirmed with a reason. */
import type { Locator, Page } from "@playwright/test";
import { officeThatConfirms as test } from "../fixtures/office.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { expect } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const TEXT = "The pilot is <$S>Ida Berg<$E>.\nAsk for Mrs Berg at the pier.\nIDA BERG is not at home.\n";

const editorOf = (page: Page): Locator => page.getByRole("textbox", { name: "Text of the document" });
const dialogOf = (page: Page): Locator => page.getByRole("dialog", { name: "Send this document" });

async function sendTo(page: Page, displayName: string): Promise<Locator> {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole("combobox", { name: "Recipients" }).fill(displayName);
  await page.getByRole("option", { name: displayName }).click();
  return dialog;
}

test("findings are shown in the document, and sent with a reason that admins can read", async ({
  people,
  open,
  pair,
}) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "berg.txt", TEXT);
  const page = await open(anna, `/documents/${id}`);
  const dialog = dialogOf(page);

  await test.step("all of them, the document's name too", async () => {
    await sendTo(page, bruno.displayName);
    await expect(dialog.getByRole("heading", { name: "3 findings in the plain part" })).toBeVisible();
    await expect(dialog.getByText("In the document’s name")).toBeVisible();
    await expectAccessible(page, BOTH);
    await page.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step("one is shown at its place", async () => {
    await dialog.getByRole("button", { name: /^Show .*IDA BERG/ }).click();
    await expect(dialog).toBeHidden();
    await expect(editorOf(page)).toBeFocused();
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe("IDA BERG");
    await page.keyboard.press("Control+Shift+S");
    await expect(editorOf(page).locator("mark")).toHaveText(["Ida Berg", "IDA BERG"]);
  });

  await test.step("the rest goes only with a reason", async () => {
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(dialog.getByRole("heading", { name: "2 findings in the plain part" })).toBeVisible();
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await expect(dialog.getByLabel("Reason for sending it anyway")).toBeFocused();
    await expectAccessible(page, BOTH);
    await page.keyboard.type(`Another Berg, says ${anna.name}`);
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  });

  await test.step("which is in the audit log", async () => {
    const { items } = await pair.alpha.admin<{ items: { action: string; reason: string }[] }>(
      "GET",
      `/audit?kind=sending&actor=${anna.name}`,
    );
    expect(items.map(({ action, reason }) => [action, reason])).toEqual([
      ["findings-confirmed", `Another Berg, says ${anna.name}`],
    ]);
    const log = await open(await people.admin(), `/admin/audit?kind=sending&actor=${anna.name}`);
    const entry = log.getByRole("row", { name: new RegExp(`${anna.name} sent a document to bravo with 2 findings`) });
    await expect(entry).toContainText(`Another Berg, says ${anna.name}`);
    await expectAccessible(log, BOTH);
    await log.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(log);
  });
});

test("several documents are selected, confirmed and sent together, and delivered separately", async ({
  people,
  open,
}) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  for (const name of ["tides.txt", "orders.txt", "berg.txt", "log.txt"])
    await makeDraft(anna, name, name === "berg.txt" ? TEXT : `Nothing of note but <$S>this of ${name}<$E>.\n`);
  const page = await open(anna, "/documents");
  const box = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
  const bar = page.getByRole("region", { name: "Selected documents" });

  await test.step("by a range, which is not one of the text", async () => {
    await box("log.txt").click();
    await box("orders.txt").click({ modifiers: ["Shift"] });
    await expect(bar).toContainText("3 documents selected");
    expect(await page.evaluate(() => getSelection()?.toString())).toBe("");
    await expectAccessible(page, BOTH);
    await page.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step("the findings of one are said, and confirmed for all", async () => {
    await bar.getByRole("button", { name: "Send 3" }).click();
    const dialog = page.getByRole("dialog", { name: "Send 3 documents" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill(bruno.displayName);
    await page.getByRole("option", { name: bruno.displayName }).click();
    await expect(dialog.getByRole("heading", { name: /3 findings .* in 1 of 3 documents/ })).toBeVisible();
    await expectAccessible(page, BOTH);
    await dialog.getByLabel("Reason for sending them anyway").fill("Another Berg.");
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
  });

  await test.step("each arrives by itself", async () => {
    await expect(page.getByRole("heading", { name: "Sent", level: 1 })).toBeVisible();
    const rows = page.getByRole("list", { name: "Transfers" }).getByRole("listitem");
    await expect(rows).toHaveCount(3);
    for (const row of await rows.all()) {
      await expect(row).toContainText("Delivered");
      await expect(row).toContainText("with 2 other documents");
    }
    const inbox = await open(bruno, "/inbox");
    for (const name of ["log.txt", "berg.txt", "orders.txt"])
      await expect(inbox.getByRole("link", { name: new RegExp(`${name}$`) })).toBeVisible();
  });
});

test("a reason for leaving findings in the editor is used for sending", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "pilot.txt", TEXT);
  const page = await open(anna, `/documents/${id}`);
  const findings = page.getByRole("region", { name: "Findings" });
  await findings.getByRole("button", { name: "Leave all" }).click();
  const why = page.getByLabel("Why the 2 findings can stay plain");
  await why.fill("known to all");
  await test.step("what is typed stays when the window becomes a phone's, and again", async () => {
    await page.setViewportSize(phone.viewport);
    await expect(why).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect(why).toHaveValue("known to all");
  });
  await why.focus();
  await page.keyboard.press("Enter");
  await expect(findings).toContainText("You left 2 findings as they are.");
  await findings.getByRole("button", { name: "Show again" }).click();
  await findings.getByRole("button", { name: /^Mark ?: .*IDA BERG/ }).click();
  await expect(editorOf(page).locator("mark")).toHaveText(["Ida Berg", "IDA BERG"]);
  const says = "“Berg” is part of the marked “Ida Berg”";
  await findings.getByRole("button", { name: `Leave as it is: ${says}` }).click();
  await findings.getByLabel(`Why this can stay plain: ${says}`).fill("her sister");
  await page.keyboard.press("Enter");
  await expect(findings).toContainText("You left 1 finding as it is.");
  const dialog = await sendTo(page, bruno.displayName);
  const reason = dialog.getByLabel("Reason for sending it anyway");
  await expect(reason).toHaveValue(`${says}: her sister`);
  await test.step("in a low window the heading and the buttons scroll with the fields", async () => {
    const before = page.viewportSize();
    await page.setViewportSize({ width: 640, height: 360 });
    await reason.scrollIntoViewIfNeeded();
    await reason.evaluate((field) => field.scrollIntoView({ block: "center" }));
    await expect(reason).toBeInViewport();
    await expect(dialog.getByRole("heading", { name: "Send this document" })).not.toBeInViewport();
    await expectAccessible(page, ["light", "dark"]);
    if (before) await page.setViewportSize(before);
  });
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
});
