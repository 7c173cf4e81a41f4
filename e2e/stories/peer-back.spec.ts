/** The other office is back: what waited is delivered by itself. */
import { makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

test("what waits is delivered by itself when the peer is back", async ({ people, open, pair }) => {
  const { bravo } = pair;
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const draft = await makeDraft(anna, "berths.txt", "Berth 3 opens on <$S>the sixth of October<$E>, as every year.\n");
  await bravo.kill();
  const page = await open(anna, `/sent/${await send(anna, draft, bruno)}`);
  // It waits for less than it takes to look; that it was tried in vain stays.
  await expect(page.getByRole("table", { name: "Attempts" })).toContainText("Failed");
  await bravo.startAgain();
  await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
  await page.getByRole("button", { name: "Verify" }).click();
  await expect(page.getByText("All checks passed: the receipt matches the stored document.")).toBeVisible();
  const { items } = await bruno.api<{ items: { name: string }[] }>("GET", "/inbox");
  expect(items.map(({ name }) => name)).toEqual(["berths.txt"]);
});
