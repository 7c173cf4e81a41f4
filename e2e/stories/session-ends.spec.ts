/** The sign-in ends, or the gateway goes away, while somebody writes: they see it, and nothing of it is lost. */
import type { Page } from "@playwright/test";
import { expectAccessible } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { signIn } from "../fixtures/sign-in.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;

/** Also while a dialog hides it from those who are read the page. */
const editorOf = (page: Page) => page.getByRole("textbox", { name: "Text of the document", includeHidden: true });
const saved = (page: Page) => page.getByText("Saved", { exact: true });
const keptOf = (author: Person, draft: string) => author.text(`/drafts/${draft}/content?edition=marked`);

test("an author who is signed out while writing signs in again and loses nothing", async ({ people, open, guard }) => {
  guard.allowStatus(401);
  const anna = await people.author();
  const { id } = await makeDraft(anna, "berths.txt", "");
  const [page, elsewhere] = await Promise.all([open(anna, `/documents/${id}`), open(anna, "/account")]);
  await expect(editorOf(page)).toBeFocused();
  await elsewhere.getByRole("button", { name: "Sign out everywhere" }).click();

  // Nothing of it is saved when the sign-in ends: the first save is on its way all the while.
  let signedOut = () => {};
  const until = new Promise<void>((resolve) => {
    signedOut = resolve;
  });
  await page.route(`**/api/v1/drafts/${id}?*`, async (route) => {
    await until;
    await route.continue();
  });
  await page.keyboard.type("Berth 3 opens on the sixth of October");
  await page.keyboard.press("Control+Shift+S");
  await elsewhere.getByRole("alertdialog").getByRole("button", { name: "Sign out everywhere" }).click();
  const dialog = page.getByRole("dialog", { name: "You are signed out" });
  await expect(dialog).toBeVisible();
  signedOut();
  await anna.signInAgain();
  const status = page.getByRole("main", { includeHidden: true });
  await expect(status.getByText("Not saved: you are signed out")).toHaveCount(1);
  await expect(editorOf(page)).toHaveText("Berth 3 opens on the sixth of October");
  // Nothing of the page can be seen or read.
  await expect(editorOf(page)).toBeHidden();
  await expect(page.getByText("Berth 3")).toBeHidden();
  await expect(status).toBeHidden();
  expect(await page.locator("body").innerText()).not.toContain("Berth 3");
  expect(await keptOf(anna, id)).toBe("");
  await expectAccessible(page, BOTH);

  await signIn(dialog, anna.name, anna.password);
  await expect(dialog).toBeHidden();
  await expect(saved(page)).toBeVisible();
  expect(await keptOf(anna, id)).toBe("Berth 3 opens on the sixth of <$S>October<$E>");
  await expect(editorOf(page)).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.type(", as every year.");
  await page.keyboard.press("Control+s");
  const classified = "October, as every year.";
  await expect.poll(() => keptOf(anna, id)).toBe(`Berth 3 opens on the sixth of <$S>${classified}<$E>`);
});

test("text written while the gateway is down is saved automatically afterwards", async ({
  people,
  open,
  guard,
  pair,
}) => {
  const { alpha } = pair;
  const anna = await people.author();
  const { id } = await makeDraft(anna, "berths.txt", "");
  const page = await open(anna, `/documents/${id}`);
  await expect(editorOf(page)).toBeFocused();
  await page.keyboard.type("Berth 3 opens");
  await expect(saved(page)).toBeVisible();

  guard.allowOutage(alpha.url);
  await alpha.stop();
  await page.keyboard.type(" on the sixth of October");
  await expect(page.getByText(/^Not saved: the gateway cannot be reached\. Trying again /)).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Reconnecting…" })).toBeVisible();
  await page.keyboard.type(", as every year");
  await expect(page.getByText("Your changes aren’t saved yet. They stay on this page")).toBeVisible();
  await expectAccessible(page, BOTH);

  await page.getByRole("link", { name: "Documents" }).first().click();
  const leaving = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await expectAccessible(page, BOTH);
  await leaving.getByRole("button", { name: "Stay" }).click();
  await expect(leaving).toBeHidden();
  await editorOf(page).press("End");
  await page.keyboard.type(".");

  await alpha.startAgain();
  // It is tried again half a minute after the last try at the latest.
  await expect(saved(page)).toBeVisible({ timeout: 40_000 });
  await expect(page.getByText("Your changes aren’t saved yet")).toHaveCount(0);
  expect(await keptOf(anna, id)).toBe("Berth 3 opens on the sixth of October, as every year.");

  // A page that was not visited before has its code to load, unless an earlier story left it in the cache.
  const devTools = await page.context().newCDPSession(page);
  // Otherwise the order that follows has no effect.
  await devTools.send("Network.enable");
  await devTools.send("Network.setCacheDisabled", { cacheDisabled: true });
  await alpha.stop();
  await page.getByRole("link", { name: "Sent" }).first().click();
  await expect(page.getByRole("heading", { name: "Something went wrong" })).toBeVisible();
  await expect(page.getByRole("main").getByText(/^Cannot reach the gateway/)).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "Reconnecting…" })).toBeVisible();
  await alpha.startAgain();
  // The page loads its code again once it is connected, half a minute later at the latest.
  await expect(page.getByRole("heading", { name: "Sent", level: 1 })).toBeVisible({ timeout: 40_000 });
});
