/** What was sent is shown as it was sent, and an earlier version of a document is looked at and brought back. */
import { expectAccessible } from "../fixtures/page-checks.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

test("an author sees what was sent, and brings that version back", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const draft = await makeDraft(anna, "berths.txt", "Berth <$S>three<$E> opens.");
  const transfer = await send(anna, draft, bruno);
  await delivered(anna, transfer);
  await anna.api("PUT", `/drafts/${draft.id}`, {
    query: { form: "marked" },
    headers: { "If-Match": '"1"' },
    body: "Berth <$S>four<$E> opens.",
  });
  const page = await open(anna, `/sent/${transfer}`);
  const main = page.getByRole("main");

  await test.step("what was sent", async () => {
    await expect(main.getByText(`To ${bruno.displayName} at bravo`)).toBeVisible();
    await page.getByRole("link", { name: "Show what was sent" }).click();
    await expect(main.getByText("three")).toBeVisible();
    await expect(main.getByText("four")).toHaveCount(0);
    await page.setViewportSize(NARROW);
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "Eavesdropper" }).click();
    await expect(main.getByRole("figure", { name: "All of it, as it is sent" })).toContainText("Berth  opens.");
    await expect(main.getByText("three")).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Redacted" }).click();
    await expect(main.getByText("opens.")).toBeVisible();
    await page.setViewportSize(WIDE);
  });

  await test.step("the versions", async () => {
    await page.goto(`/documents/${draft.id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Versions" }).click();
    const rows = page.getByRole("table", { name: "Versions" }).getByRole("row");
    await expect(rows.filter({ hasText: "Sent to bravo" })).toHaveCount(1);
    await expectAccessible(page, BOTH);
    await page.setViewportSize(NARROW);
    await page.getByRole("link", { name: "Version 1", exact: true }).click();
    await expect(main.getByText("three")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Compare with latest" }).click();
    await expect(main.getByText("1 word added and 1 word removed.")).toBeVisible();
    await expect(main.getByRole("region", { name: "Differences" })).toHaveText("Berth threefour opens.");
    await expectAccessible(page, BOTH);
    await page.goBack();
    await page.setViewportSize(WIDE);
    await page.getByRole("button", { name: "Bring back" }).click();
    const editor = page.getByRole("textbox", { name: "Text of the document" });
    await expect(editor).toHaveText("Berth three opens.");
    await page.goto(`/documents/${draft.id}/versions`);
    await expect(rows.getByRole("rowheader")).toHaveText(["Version 3, latest", "Version 2", "Version 1"]);
  });

  await test.step("a table is shown with its marks, as it was sent", async () => {
    const made = await anna.api<{ id: string; document_id: string }>("POST", "/drafts", {
      query: { form: "file", name: "pay.csv" },
      body: "name,pay\nAda,100\nBen,200\n",
    });
    const marked = await anna.api<{ id: string; document_id: string; revision: number }>(
      "PUT",
      `/drafts/${made.id}/marks`,
      { headers: { "If-Match": '"1"' }, json: { marks: [{ address: "row/2/pay" }] } },
    );
    const sent = await send(anna, marked, bruno);
    await page.goto(`/sent/${sent}/document`);
    await expect(main.getByText("Ada")).toBeVisible();
    await expectAccessible(page);
  });
});
