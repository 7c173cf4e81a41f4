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
  await makeDraft(anna, "tides.txt", "High at <$S>nine<$E>.");
  const page = await open(anna, "/documents");
  const rows = page.getByRole("list", { name: "Documents" }).getByRole("listitem");
  const bar = page.getByRole("region", { name: "Selected documents" });
  const act = async (name: string, action: string) => {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };

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

  await test.step("a copy has the marks of the document", async () => {
    await act("berths.txt", "Duplicate");
    await page.getByRole("link", { name: "Copy of berths.txt" }).click();
    await expect(page.getByRole("textbox", { name: "Text of the document" })).toHaveText("Berth three.");
    await expect(page.locator("mark")).toHaveText("three");
    await page.goto("/documents");
  });

  await test.step("a template starts new documents, and stays as it is", async () => {
    await act("tides.txt", "Use as template");
    await page.getByRole("button", { name: "New from template" }).click();
    await page.getByRole("menuitem", { name: "tides.txt" }).click();
    const dialog = page.getByRole("dialog", { name: "New from template" });
    await dialog.getByRole("textbox").fill("tides of May.txt");
    await expectAccessible(page, BOTH);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "tides of May.txt" })).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Text of the document" })).toHaveText("High at nine.");
    await page.goto("/documents");
    await expect(rows).toHaveCount(4);
    await page.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
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
