/** A cleared recipient gets the document as it was written, sees what in it is classified, and can prove it. */
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectAccessible } from "../fixtures/page-checks.ts";
import { PageRecorder } from "../fixtures/page-recorder.ts";
import { expect, test } from "../fixtures/test.ts";
import {
  expectNothingClassified,
  FULL,
  MARKED,
  PLAIN,
  REDACTED,
  SECRETS,
  sendBerths,
} from "../fixtures/unique-document.ts";
import { expectOnlyPlain } from "../fixtures/wire.ts";

const BOTH = ["light", "dark"] as const;

async function download(page: Page, link: string): Promise<string> {
  const [downloaded] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: link, exact: true }).click(),
  ]);
  expect(downloaded.suggestedFilename()).toMatch(/^berths/);
  return readFile(await downloaded.path(), "utf8");
}

test("a new document appears automatically and is exactly the one that was sent", async ({ people, open, wire }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const page = await open(bruno);
  const recorder = await PageRecorder.of(page);
  await expect(page.getByRole("heading", { name: "No documents yet" })).toBeVisible();
  const receipt = await sendBerths(anna, bruno);
  expectOnlyPlain(wire, { plain: PLAIN.slice(0, 60), classified: SECRETS.filter(({ length }) => length >= 12) });

  const link = page.getByRole("link", { name: "Unread: berths.txt" });
  await expect(link).toBeVisible();
  await expect(page.getByText("1 document, 1 unread")).toBeVisible();
  await expectAccessible(page, BOTH);
  // The link covers the whole row, and so the time in it.
  await page.getByRole("listitem").filter({ has: link }).getByRole("time").click({ force: true });

  await expect(page.getByRole("heading", { name: "berths.txt", level: 1 })).toBeFocused();
  const parts = page.getByRole("group", { name: "Classified parts" });
  await expect(parts).toContainText("4 classified");
  await parts.getByRole("button", { name: "Next classified part" }).click();
  await expect(parts).toContainText("1 of 4 classified");
  const document = page.getByRole("article", { name: "berths.txt" });
  await expect(document.getByText(SECRETS[0] ?? "")).toBeInViewport();
  await parts.getByRole("button", { name: "Next classified part" }).click();
  await expect(document.getByText("Ida", { exact: true })).toBeInViewport();
  await expectAccessible(page, BOTH);
  await parts.getByRole("button", { name: "List classified text" }).click();
  const list = page.getByRole("list", { name: "Classified texts" });
  await expect(list.getByRole("button")).toHaveCount(4);
  await expectAccessible(page);
  await list.getByRole("button", { name: SECRETS[2] ?? "" }).click();
  await expect(parts).toContainText("3 of 4 classified");

  await page.getByRole("button", { name: "Find", exact: true }).click();
  await page.keyboard.type("wilhelmine");
  await expect(page.getByText("1 of 1")).toBeVisible();
  await expectAccessible(page);

  // The recorder, on which the story of the uncleared reader relies, finds the content that a cleared reader gets.
  const recorded = await recorder.all();
  expect(() => expectNothingClassified(recorded, receipt)).toThrow("received classified content");
  const lists = recorded.filter(({ where }) => where.includes("/inbox?"));
  expect(() => expectNothingClassified(lists, receipt)).toThrow("received a size, a place or a digest");
});

test("each edition can be downloaded, and the receipt verified", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  await sendBerths(anna, bruno);
  const page = await open(bruno);
  await page.getByRole("link", { name: "berths.txt" }).click();
  expect(await download(page, "Whole document")).toBe(FULL);
  expect(await download(page, "Redacted")).toBe(REDACTED);
  expect(await download(page, "Marked text")).toBe(MARKED);

  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByText("All checks passed: the receipt matches the stored document.")).toBeVisible();
  await expect(page.getByRole("list", { name: "Checks" }).getByText("Failed: ")).toHaveCount(0);
  await page.getByText("Show receipt").click();
  await expect(page.getByText("Stored", { exact: true })).toBeVisible();
  await expectAccessible(page, BOTH);

  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { name: "Your inbox is empty" })).toBeVisible();
});
