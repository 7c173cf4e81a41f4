/** A document arrives: every page says so. Then the person deletes, undoes, restores, and changes many entries at once. */
import { readFile } from "node:fs/promises";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
/** A screen of 1280 x 800 shows so many rows. */
const ON_A_SCREEN = 20;

test("a recipient sees what arrived, deletes it, and restores it", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const page = await open(bruno, "/account");
  await expect(page.getByRole("heading", { name: "Browser notifications" })).toBeVisible();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await send(anna, await makeDraft(anna, "berths.txt", "Berth <$S>three<$E>."), bruno);

  await expect(page.getByRole("link", { name: "Inbox, 1 unread" })).toBeVisible();
  await expect(page).toHaveTitle(/^\(1\) /);
  // With the pointer on it, the notice stays.
  await page.getByText("berths.txt").hover();
  await expectAccessible(page, BOTH);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expect(page.getByRole("article", { name: "berths.txt" })).toHaveText("Berth three.");
  await expect(page.getByRole("link", { name: "Inbox, 1 unread" })).toHaveCount(0);
  await expect(page).toHaveTitle(/^berths\.txt/);

  await test.step("deleting can be undone", async () => {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await expect(page.getByRole("heading", { name: "Your inbox is empty" })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("link", { name: "berths.txt" })).toBeVisible();
  });

  await test.step("and later, on a phone, what was deleted can be restored", async () => {
    await page.setViewportSize(phone.viewport);
    await page.getByRole("button", { name: "Actions for berths.txt" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await expect(page.getByRole("heading", { name: "Your inbox is empty" })).toBeVisible();
    await page.getByRole("button", { name: "Deleted", exact: true }).click();
    await expect(page.getByRole("list", { name: "Deleted documents" })).toContainText("Kept until");
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "Actions for berths.txt" }).click();
    await page.getByRole("menuitem", { name: "Restore" }).click();
    await expect(page.getByText("No deleted documents")).toBeVisible();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect(page.getByRole("link", { name: "berths.txt" })).toBeVisible();
  });
});

test("many documents fit on a screen, and are changed and downloaded together", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const draft = await makeDraft(anna, "berths.txt", "Berth <$S>three<$E>.");
  await Promise.all(Array.from({ length: ON_A_SCREEN + 2 }, () => send(anna, draft, bruno)));
  const page = await open(bruno, "/inbox");
  const rows = page.getByRole("list", { name: "Received documents" }).getByRole("listitem");
  await expect(page.getByText("22 documents, 22 unread")).toBeVisible();
  await expect(rows).toHaveCount(22);
  await page.evaluate(() => window.scrollTo(0, 0));
  await expect(rows.nth(ON_A_SCREEN - 1)).toBeInViewport({ ratio: 0.9 });
  await expectAccessible(page, BOTH);

  const bar = page.getByRole("region", { name: "Selected documents" });
  await page.getByRole("checkbox", { name: "Select berths.txt" }).nth(1).click();
  await page
    .getByRole("checkbox", { name: "Select berths.txt" })
    .nth(4)
    .click({ modifiers: ["Shift"] });
  await expect(bar.getByRole("checkbox", { name: "4 documents selected" })).toBeVisible();
  await bar.getByRole("button", { name: "Mark as read" }).click();
  await expect(page.getByText("22 documents, 18 unread")).toBeVisible();
  const [downloaded] = await Promise.all([
    page.waitForEvent("download"),
    bar.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(downloaded.suggestedFilename()).toBe("inbox.zip");
  expect((await readFile(await downloaded.path())).toString("latin1").match(/Berth three\./g)).toHaveLength(4);
  await bar.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("18 documents, 18 unread")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("22 documents, 18 unread")).toBeVisible();
  await page.getByRole("button", { name: "Unread", exact: true }).click();
  await expect(rows).toHaveCount(18);

  await page.setViewportSize(phone.viewport);
  await page.getByRole("checkbox", { name: "Select all" }).click();
  await expect(bar.getByRole("checkbox", { name: "18 documents selected" })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
