/** An admin keeps policies: made from an example, a file, or by hand; tried, changed, read back, deleted. */
import type { Locator, Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;

const ruleOf = (page: Page, number: number): Locator =>
  page.getByRole("listitem", { name: `Rule ${number}`, exact: true });

async function choose(page: Page, field: Locator, option: string): Promise<void> {
  await field.click();
  await page.getByRole("option", { name: option }).click();
}

test("a policy is written, tested, changed and restored", async ({ people, open }) => {
  const ada = await people.admin();
  const page = await open(ada, "/admin/policies");
  const name = `ships-${ada.name.slice(-8)}`;

  await test.step("an error is shown at its rule", async () => {
    await expect(page.getByRole("button", { name: "New policy" })).toBeVisible();
    await page.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "New policy" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Title").fill("Ships and pilots");
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByLabel("Keywords").fill("Heron\nBlue Fox");
    await page.getByRole("textbox", { name: "Reason" }).fill("A ship");
    await page.getByRole("button", { name: "Add a rule" }).click();
    await choose(page, ruleOf(page, 2).getByRole("combobox", { name: "Find" }), "Pattern");
    await page.getByLabel("Pattern").fill("(?=x)");
    await expect(ruleOf(page, 2).locator(".text-danger").first()).toBeVisible();
    await expect(ruleOf(page, 1).locator(".text-danger")).toHaveCount(0);
    await expectAccessible(page, BOTH);
    await page.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "New policy" })).toBeVisible();
    await page.getByLabel("Pattern").fill("\\bPier \\d+\\b");
    await expect(ruleOf(page, 2).locator(".text-danger")).toHaveCount(0);
  });

  await test.step("it is tried before it is saved", async () => {
    await page.getByLabel("Sample text").fill("The heron lies at Pier 7.");
    await expect(page.getByText("2 hits.")).toBeVisible();
    await expect(page.getByRole("list", { name: "Hits of each rule" }).getByRole("listitem")).toHaveText([
      /Rule 1.*1 hit$/,
      /Rule 2.*1 hit$/,
    ]);
  });

  await test.step("and saved", async () => {
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "Ships and pilots", level: 1 })).toBeVisible();
  });

  await test.step("it is tried on a text", async () => {
    await page.getByLabel("Sample text").fill("The heron lies at Pier 7, the blue\nfox at sea.");
    await expect(page.getByText("3 hits.")).toBeVisible();
    await expect(page.getByRole("region", { name: "Sample text with marks" }).locator("mark")).toHaveText([
      "heron",
      "Pier 7",
      "blue\nfox",
    ]);
    await expectAccessible(page, BOTH);
  });

  await test.step("as a file it says the same, and is changed there", async () => {
    await page.getByRole("tab", { name: "File" }).click();
    const file = page.getByLabel("Policy file (TOML)");
    await expect(file).toHaveValue(/pattern = '\\bPier \\d\+\\b'/);
    await file.fill((await file.inputValue()).replace('"A ship"', '"A ship of ours"'));
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("This is version 2.")).toBeVisible();
    await page.getByRole("tab", { name: "Rules, 2" }).click();
    await expect(ruleOf(page, 1)).toContainText("A ship of ours");
  });

  await test.step("an earlier version is read, and taken back", async () => {
    await page.getByRole("button", { name: "View version 1" }).click();
    const dialog = page.getByRole("dialog", { name: `${name}, version 1` });
    await expect(dialog).toContainText('reason = "A ship"');
    await expectAccessible(page, BOTH);
    await dialog.getByRole("button", { name: "Edit this version" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("This is version 3.")).toBeVisible();
  });

  await test.step("what is not saved is not lost unasked", async () => {
    await page.getByLabel("Title").fill("Ships");
    await page.getByRole("link", { name: "People" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await dialog.getByRole("button", { name: "Stay" }).click();
    await expect(page.getByLabel("Title")).toHaveValue("Ships");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "Ships", level: 1 })).toBeVisible();
  });

  await test.step("it is deleted once that is confirmed", async () => {
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("alertdialog", { name: `Delete ${name}?` });
    await expectAccessible(page, BOTH);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("heading", { name: "Policies", level: 1 })).toBeVisible();
    await expect(page.getByRole("link", { name: "Ships", exact: true })).toHaveCount(0);
  });
});

test("a policy is imported with its list of keywords", async ({ people, open }) => {
  const ada = await people.admin();
  const page = await open(ada, "/admin/policies");
  const name = `crew-${ada.name.slice(-8)}`;
  const toml = `# Our crew\nname = "${name}"\n[[rules]]\nkind = "keywords"\nkeywords_file = "crew.txt"\nreason = "Of the crew"\n`;
  const files = page.getByLabel("Policy file and its keyword files");
  const policy = { name: "crew.toml", mimeType: "application/toml", buffer: Buffer.from(toml) };
  await files.setInputFiles([policy]);
  await expect(page.getByRole("alert")).toContainText("Rule 1 needs the file crew.txt");
  await files.setInputFiles([
    policy,
    { name: "crew.txt", mimeType: "text/plain", buffer: Buffer.from("Ida Berg\nBo Ek\n") },
  ]);
  await expect(page.getByRole("heading", { name: "New policy" })).toBeVisible();
  await expect(ruleOf(page, 1)).toContainText("Ida Berg, Bo Ek");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page).toHaveURL(new RegExp(`/admin/policies/${name}$`));
});
