/** What failed or was cancelled says how much had left, and is sent again, to the same people or to others. */
import { expectAccessible, expectToFitPhone } from "../fixtures/page-checks.ts";
import { makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const MARKED = "Berth 3 opens on <$S>the sixth of October<$E>, as every year.\n";

test("what nobody there receives is sent again to somebody else", async ({ people, open, pair }) => {
  const [anna, bruno, rosa] = await Promise.all([people.author(), people.cleared(), people.cleared()]);
  const draft = await makeDraft(anna, "berths.txt", MARKED);
  // Alpha knows both before one of them stops receiving.
  await anna.api("GET", "/peers/bravo/recipients");
  await pair.bravo.admin("PATCH", `/people/${bruno.id}`, {
    json: { is_author: true, is_recipient: false, cleared: false },
  });
  await pair.bravo.stop();
  const transfer = await send(anna, draft, bruno);
  await pair.bravo.startAgain();
  const page = await open(anna, `/sent/${transfer}`);
  await expect(page.getByRole("heading", { name: "Could not deliver to bravo" })).toBeVisible();
  const left = page.getByRole("list", { name: "Sent before it ended" });
  await expect(left).toContainText("Secure channel: 0 of 20 bytes left this gateway");
  await expect(left).toContainText("Plain channel: 0 of 34 bytes left this gateway");
  await expectAccessible(page, BOTH);
  await expectToFitPhone(page);

  await page.getByRole("button", { name: "Correct recipients" }).click();
  const dialog = page.getByRole("dialog", { name: "Send this document again" });
  await expect(dialog).toContainText(bruno.displayName);
  await dialog.getByRole("button", { name: `Remove ${bruno.displayName}` }).click();
  await dialog.getByRole("combobox", { name: "Recipients" }).fill(rosa.displayName);
  await page.getByRole("option", { name: rosa.displayName }).click();
  await expectAccessible(page, BOTH);
  await expectToFitPhone(page);
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  await expect(page.getByText(`To ${rosa.displayName} at bravo`)).toBeVisible();
});

test("what was cancelled is sent again to the same people", async ({ people, open, pair }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const draft = await makeDraft(anna, "berths.txt", MARKED);
  await anna.api("GET", "/peers/bravo/recipients");
  await pair.bravo.stop();
  const transfer = await send(anna, draft, bruno);
  await anna.api("POST", `/transfers/${transfer}/cancel`);
  await pair.bravo.startAgain();
  const page = await open(anna, `/sent/${transfer}`);
  await expect(page.getByRole("heading", { name: "Cancelled" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Sent before it ended" })).toContainText("0 of 20 bytes");
  await page.getByRole("button", { name: "Send again" }).click();
  const dialog = page.getByRole("dialog", { name: "Send this document again" });
  // The dialog names him from the start; he can be sent to once his gateway has listed him.
  await expect(dialog.getByRole("toolbar")).toContainText("Cleared");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  const { items } = await bruno.api<{ items: unknown[] }>("GET", "/inbox");
  expect(items).toHaveLength(1);
});
