/** An author marks by a policy: its hits are shown, accepted, rejected, marked in one step; with the keyboard alone, too. */
import type { Locator, Page } from "@playwright/test";
import type { Gateway } from "../fixtures/gateways.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const TEXT = [
  "The survey ship Heron leaves Pier 7 at dawn. 🚢 Her master is Ida Berg.",
  "Nobody but Ida",
  "Berg knows where HERON goes; the herons of the harbour do not.",
  "Ask the pilot of the heron at Pier 12.",
  "",
].join("\n");

const editorOf = (page: Page): Locator => page.getByRole("textbox", { name: "Text of the document" });
const marksOf = (page: Page): Locator => page.locator(".editor-text mark");
const panelOf = (page: Page): Locator => page.getByRole("region", { name: "Mark by a policy" });
const saidIn = (page: Page): Locator => page.locator(".sr-only[aria-live=polite]");

/** A policy that no other story has; its title. */
async function makePolicy(at: Gateway, name: string): Promise<string> {
  const title = `Ships ${name}`;
  const rules = [
    { kind: "keywords", keywords: ["Heron", "Ida Berg"], reason: "A ship, or her master" },
    { kind: "regex", pattern: "\\bPier \\d+\\b", reason: "Where she lies" },
  ];
  await at.admin("POST", "/policies", { json: { name: `ships-${name}`, title, rules } });
  return title;
}

test("by the keyboard alone: chosen, looked at, accepted, rejected, marked, undone", async ({ people, open, pair }) => {
  const anna = await people.author();
  const title = await makePolicy(pair.alpha, anna.name);
  const { id } = await makeDraft(anna, "survey.txt", TEXT);
  const page = await open(anna, `/documents/${id}`);
  const { keyboard } = page;
  const panel = panelOf(page);
  const hits = panel.getByRole("list", { name: "Hits" });

  await test.step("a policy is chosen, and its hits are shown in the text", async () => {
    await page.getByRole("button", { name: "Policies" }).focus();
    await keyboard.press("Enter");
    await expect(panel.getByRole("combobox", { name: "Policy" })).toBeFocused();
    await keyboard.press("Enter");
    await expect(page.getByRole("option", { name: title })).toBeVisible();
    await keyboard.type(title.slice(0, title.length - 2));
    await expect(page.getByRole("option", { name: title })).toHaveAttribute("data-highlighted");
    await keyboard.press("Enter");
    await expect(panel.getByText("7 hits", { exact: true })).toBeVisible();
    await expect(saidIn(page)).toContainText("7 hits");
    await expect(editorOf(page).locator(".found-place")).toHaveCount(8);
    await expect(editorOf(page).locator(".found-place[data-current]")).toHaveText("Heron");
    await expectAccessible(page, BOTH);
  });

  await test.step("each is decided on", async () => {
    const first = hits.getByRole("button", { name: /ship.*Heron.*Rule 1/ });
    for (let tabs = 0; tabs < 12 && !(await first.evaluate((one) => one === document.activeElement)); tabs++)
      await keyboard.press("Tab");
    await expect(first).toBeFocused();
    await keyboard.press("a");
    await expect(hits.getByRole("button", { name: /Pier 7.*Rule 2/ })).toBeFocused();
    await expect(editorOf(page).locator(".found-place[data-current]")).toHaveText("Pier 7");
    await keyboard.press("r");
    await expect(panel.getByText("7 hits, 1 accepted, 1 rejected")).toBeVisible();
    await expect(editorOf(page).locator(".found-place", { hasText: "Pier 7" })).toHaveCount(0);
    await keyboard.press("ArrowUp");
    await expect(hits.getByRole("button", { name: /Pier 7.*Rule 2/ })).toBeFocused();
    await keyboard.press("u");
    await expect(panel.getByText("7 hits, 1 accepted")).toBeVisible();
    await keyboard.press("r");
    await expectAccessible(page, BOTH);
  });

  await test.step("the others are accepted at once, and all are marked in one step", async () => {
    await panel.getByRole("button", { name: "Accept 5 left" }).focus();
    await keyboard.press("Enter");
    await panel.getByRole("button", { name: "Mark 6 accepted hits" }).focus();
    await keyboard.press("Enter");
    await expect(marksOf(page)).toHaveText(["Heron", "Ida Berg", "Ida", "Berg", "HERON", "heron", "Pier 12"]);
    await expect(saidIn(page)).toContainText("Marked: 6 places");
    await expect(panel.getByText(/6 more are already marked/)).toBeVisible();
    await keyboard.press("Escape");
    await expect(editorOf(page)).toBeFocused();
    await keyboard.press("Control+z");
    await expect(marksOf(page)).toHaveCount(0);
    await keyboard.press("Control+y");
    await expect(marksOf(page)).toHaveCount(7);
  });
});

test("once the text is another one, it is looked through again", async ({ people, open, pair }) => {
  const anna = await people.author();
  const title = await makePolicy(pair.alpha, anna.name);
  const { id } = await makeDraft(anna, "survey.txt", "The Heron.\n");
  const page = await open(anna, `/documents/${id}`);
  const panel = panelOf(page);
  await page.getByRole("button", { name: "Policies" }).click();
  await panel.getByRole("combobox", { name: "Policy" }).click();
  await page.getByRole("option", { name: title }).click();
  await expect(panel.getByText("1 hit", { exact: true })).toBeVisible();
  await editorOf(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("HERON again");
  await expect(panel.getByText("The text has changed since the search.")).toBeVisible();
  await panel.getByRole("button", { name: "Search again" }).click();
  await expect(panel.getByText("2 hits", { exact: true })).toBeVisible();
  // The button is gone, and the focus is where it was.
  await expect(panel).toBeFocused();
  await panel.getByRole("button", { name: "Reject all 2" }).click();
  await expect(panel.getByRole("button", { name: "Mark accepted hits" })).toBeDisabled();
});

test.describe("on a phone", () => {
  test.use(phone);

  test("the text stays in view while its hits are decided on", async ({ people, open, pair }) => {
    const anna = await people.author();
    const title = await makePolicy(pair.alpha, anna.name);
    const { id } = await makeDraft(anna, "survey.txt", TEXT);
    const page = await open(anna, `/documents/${id}`);
    const panel = panelOf(page);
    await page.getByRole("button", { name: "More" }).tap();
    await page.getByRole("menuitem", { name: "Mark by a policy" }).tap();
    await panel.getByRole("combobox", { name: "Policy" }).tap();
    await page.getByRole("option", { name: title }).tap();
    await expect(editorOf(page).locator(".found-place[data-current]")).toBeInViewport();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
    await panel.getByRole("button", { name: "Accept all 7" }).tap();
    await panel.getByRole("button", { name: "Mark 7 accepted hits" }).tap();
    await expect(marksOf(page)).toHaveCount(8);
    await panel.getByRole("button", { name: "Close policies" }).tap();
    await expect(page.getByRole("toolbar", { name: "Text tools" })).toBeVisible();
  });
});
