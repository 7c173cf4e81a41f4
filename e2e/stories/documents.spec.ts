/** An author's list: tags, templates and copies, and many documents changed at once. */
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
/** One more than the list loads at first. */
const MANY = 51;

test("documents are tagged, copied and started from a template", async ({ people, open }) => {
  const anna = await people.author();
  await makeDraft(anna, "berths.txt", "Berth <$S>three<$E>.");
  await makeDraft(anna, "tides.md", `# Tides\n\nHigh at <$S>nine<$E>.\n${"\n- as every day".repeat(12)}`);
  const page = await open(anna, "/documents");
  const rows = page.getByRole("list", { name: "Documents" }).getByRole("listitem");
  const bar = page.getByRole("region", { name: "Selected documents" });
  const text = page.getByRole("textbox", { name: "Text of the document" });
  const act = async (name: string, action: string) => {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };

  await test.step("they are sorted", async () => {
    const names = rows.getByRole("link");
    await expect(names).toHaveText(["tides.md", "berths.txt"]);
    await page.getByRole("combobox", { name: "Sort by" }).click();
    await page.getByRole("option", { name: "By name" }).click();
    await expect(names).toHaveText(["berths.txt", "tides.md"]);
    await expect(page).toHaveURL("/documents?sort=name");
  });

  await test.step("a tag finds its documents", async () => {
    await page.getByRole("checkbox", { name: "Select berths.txt" }).click();
    await bar.getByRole("button", { name: "Tags" }).click();
    await page.getByRole("menuitem", { name: "New tag" }).click();
    const dialog = page.getByRole("dialog", { name: "New tag" });
    await dialog.getByRole("textbox").fill("Harbour");
    await expectAccessible(page, BOTH);
    await page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    await expect(rows.filter({ hasText: "berths.txt" })).toContainText("Harbour");
    await page.getByRole("combobox", { name: "Tag" }).click();
    await page.getByRole("option", { name: "Harbour" }).click();
    await expect(page).toHaveURL(/tag=Harbour/);
    await expect(rows).toHaveCount(1);
    await page.goto("/documents");
  });

  await test.step("a copy has the marks of the document, and its spelling is checked only on request", async () => {
    await act("berths.txt", "Duplicate");
    await page.getByRole("link", { name: "Copy of berths.txt" }).click();
    await expect(text).toHaveText("Berth three.");
    await expect(page.locator("mark")).toHaveText("three");
    await expect(text).toHaveAttribute("spellcheck", "false");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitemcheckbox", { name: "Check spelling" }).click();
    await expect(text).toHaveAttribute("spellcheck", "true");
    await page.goto("/documents");
  });

  await test.step("a template starts new documents, and stays as it is", async () => {
    await act("tides.md", "Use as template");
    await page.getByRole("button", { name: "New from template" }).click();
    await page.getByRole("menuitem", { name: "tides.md" }).click();
    const dialog = page.getByRole("dialog", { name: "New from template" });
    await dialog.getByRole("textbox").fill("tides of May.md");
    await expectAccessible(page, BOTH);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "tides of May.md" })).toBeVisible();
    await expect(text).toContainText("High at nine.");
    await expect(text).toHaveAttribute("spellcheck", "true");
  });

  await test.step("Markdown is previewed as its readers will see it", async () => {
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Preview" }).click();
    const preview = page.getByRole("dialog", { name: "Preview" });
    await expect(preview.locator("mark.classified")).toHaveText(["nine"]);
    await expectAccessible(page, BOTH);
    await page.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    // Nothing covers it.
    await preview.getByRole("heading", { name: "Tides" }).click({ trial: true });
    await page.goto("/documents");
    await expect(rows).toHaveCount(4);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
  });

  await test.step("on a phone a notice is above the dialog that is opened next", async () => {
    await act("Copy of berths.txt", "Delete");
    const undo = page.getByRole("button", { name: "Undo" });
    await expect(undo).toBeVisible();
    await page.getByRole("button", { name: "New from template" }).click();
    await page.getByRole("menuitem", { name: "tides.md" }).click();
    const dialog = page.getByRole("dialog", { name: "New from template" });
    await expect(dialog).toBeVisible();
    const [notice, sheet] = await Promise.all([undo.boundingBox(), dialog.boundingBox()]);
    expect(notice && sheet && notice.y + notice.height <= sheet.y).toBe(true);
  });
});

test("all that match are chosen, deleted together, and restored", async ({ people, open }) => {
  const anna = await people.author();
  await Promise.all(Array.from({ length: MANY }, (_, at) => makeDraft(anna, `berths ${at}.txt`, "Berth.")));
  await makeDraft(anna, "tides.txt", "High.");
  const page = await open(anna, "/documents?search=berths");
  const bar = page.getByRole("region", { name: "Selected documents" });
  await page.getByRole("checkbox", { name: "Select all" }).click();
  await bar.getByRole("button", { name: `Choose all ${MANY}` }).click();
  await expect(bar.getByRole("checkbox", { name: `${MANY} documents selected` })).toBeVisible();
  await expectAccessible(page, BOTH);
  await bar.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No documents match “berths”")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("checkbox", { name: "Select all" })).toBeVisible();
  const { items } = await anna.api<{ items: unknown[] }>("GET", "/drafts", { query: { limit: "100" } });
  expect(items).toHaveLength(MANY + 1);
});
