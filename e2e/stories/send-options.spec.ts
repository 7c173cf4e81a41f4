/** How a document travels: left to the gateway, or chosen; over several channels, as many as the peer takes. */
import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const TEXT = `The berths of the harbour.\n<$S>Pier nine opens at dawn.<$E>\n${"The tide is as usual. ".repeat(200)}\n`;

async function askToSend(page: Page, to: Person): Promise<Locator> {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Send this document" });
  await dialog.getByRole("combobox", { name: "Recipients" }).fill(to.displayName);
  await page.getByRole("option", { name: to.displayName }).click();
  return dialog;
}

async function choose(page: Page, field: Locator, option: string): Promise<void> {
  await field.click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("the gateway chooses the options and shows an estimate, until the author chooses mode and channels", async ({
  people,
  open,
}) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "tides.txt", TEXT);
  const page = await open(anna, `/documents/${id}`);
  const dialog = await askToSend(page, bruno);
  await expect(dialog.getByText(/There is no reliable estimate yet|Sending should take/)).toBeVisible();
  await dialog.getByRole("button", { name: /^Options/ }).click();
  await expect(dialog.getByRole("radio", { name: /Automatic \(fastest\)/ })).toBeChecked();
  await expectAccessible(page, BOTH);
  await page.setViewportSize(phone.viewport);
  await expect(dialog.getByRole("combobox", { name: "Plain channels" })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await dialog.getByRole("radio", { name: /^Both channels/ }).click();
  await choose(page, dialog.getByRole("combobox", { name: "Secure channels" }), "2");
  await choose(page, dialog.getByRole("combobox", { name: "Plain channels" }), "3");
  await dialog.getByRole("button", { name: /^Options/ }).click();
  await expect(dialog.getByRole("button", { name: /^Options/ })).toContainText("Both channels, 2 secure, 3 plain");
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  await expect(page.getByText("2 secure and 3 plain", { exact: true })).toBeVisible();
  await expectAccessible(page, BOTH);
});
