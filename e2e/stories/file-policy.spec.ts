/** An author marks a Word file by a policy: a hit leads to its place, also on a phone, where the panel covers half the page. */
import type { Locator, Page } from "@playwright/test";
import { choose, importChosen, sample } from "../fixtures/files.ts";
import type { Gateway } from "../fixtures/gateways.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const NAME = "every-place.docx";

const panelOf = (page: Page): Locator => page.getByRole("region", { name: "Mark by a policy" });

const hitsOf = (page: Page): Locator =>
  panelOf(page).getByRole("list", { name: "Hits" }).getByRole("button", { name: /XQZVK/ });

async function openFile(page: Page): Promise<void> {
  await importChosen(await choose(page, sample("office/every-place.docx")), NAME);
}

/** A policy that no other story has; its title. */
async function makePolicy(at: Gateway, name: string, keyword: string): Promise<string> {
  const title = `Departures ${name}`;
  const rules = [{ kind: "keywords", keywords: [keyword], reason: "A ship" }];
  await at.admin("POST", "/policies", { json: { name: `departures-${name}`, title, rules } });
  return title;
}

test("a policy's hits in a file are decided on, and marked in one step", async ({ people, open, pair }) => {
  const anna = await people.author();
  const title = await makePolicy(pair.alpha, anna.name, "see XQZVK PLMRT");
  const page = await open(anna, "/documents");
  await openFile(page);
  await page.getByRole("button", { name: "Policies" }).click();
  const panel = panelOf(page);
  await panel.getByRole("combobox", { name: "Policy" }).click();
  await page.getByRole("option", { name: title }).click();
  await expectAccessible(page, BOTH);
  await hitsOf(page).first().click();
  await expect(page.getByText("Selected: “see XQZVK PLMRT”")).toBeVisible();
  await panel.getByRole("button", { name: /^Accept all/ }).click();
  await panel.getByRole("button", { name: /^Mark \d+ accepted hits?$/ }).click();
  await expect(page.getByRole("document", { name: "Text: Text", exact: true }).locator("mark")).toHaveText([
    "see XQZVK PLMRT",
  ]);
});

test.describe("on a phone", () => {
  test.use(phone);

  test("a hit is shown above the panel", async ({ people, open, pair }) => {
    const anna = await people.author();
    const title = await makePolicy(pair.alpha, anna.name, "XQZVK PLMRT");
    const page = await open(anna, "/documents");
    await openFile(page);
    await page.getByRole("button", { name: "More" }).tap();
    await page.getByRole("menuitem", { name: "Mark by a policy" }).tap();
    const panel = panelOf(page);
    await panel.getByRole("combobox", { name: "Policy" }).tap();
    await page.getByRole("option", { name: title }).tap();
    await hitsOf(page).nth(7).tap();
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toMatch(/^XQZVK\s+PLMRT$/);
    const bottom = () => page.evaluate(() => getSelection()?.getRangeAt(0).getBoundingClientRect().bottom);
    await expect.poll(bottom).toBeLessThan((await panel.boundingBox())?.y ?? 0);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
  });
});
