/** The other office is down: what is sent waits, says why and since when, and arrives by itself once it is back. */
import type { Page } from "@playwright/test";
import { officeWith } from "../fixtures/office.ts";
import { expectAccessible, expectToFitPhone } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { makeDraft, send } from "../fixtures/seed.ts";
import { expect } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const MARKED = "Berth 3 opens on <$S>the sixth of October<$E>, as every year.\n";
const DAY_S = "86400";
/** A gateway looks at least every 30 s whether a peer is back. */
const BACK_MS = 45_000;

/** With gateways whose next attempt is up to a day away, unless a person asks for it or the peer is back. */
const test = officeWith({ SIEVE_RETRY_FIRST_S: DAY_S, SIEVE_RETRY_CAP_S: DAY_S });

type Inbox = { items: { id: string; name: string }[] };
const inboxOf = async (person: Person) => (await person.api<Inbox>("GET", "/inbox")).items;

const headed = (page: Page, name: string) => page.getByRole("heading", { name });
const rowOf = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });
const tries = (page: Page) => page.getByRole("table", { name: "Attempts" }).getByRole("rowheader");

test("what cannot be delivered waits, and leaves by itself when the peer is back", async ({ people, open, pair }) => {
  const { bravo } = pair;
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const { id } = await makeDraft(anna, "berths.txt", MARKED);
  const page = await open(anna, `/documents/${id}`);

  await test.step("sent while the peer goes away, it waits, with reason and next try", async () => {
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill(bruno.displayName);
    await page.getByRole("option", { name: bruno.displayName }).click();
    await bravo.stop();
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await expect(headed(page, "Waiting to retry")).toBeVisible();
    const status = page.getByRole("region", { name: "Status" });
    await expect(status).toContainText(/Bravo cannot be reached.*\./);
    await expect(status).toContainText(
      /Bravo has been unreachable since \d.*\. The document is sent as soon as bravo is back/,
    );
    await expect(tries(page)).toHaveText(["Attempt 1"]);
    await expectAccessible(page, BOTH);
    await expectToFitPhone(page);
  });

  await test.step("tried now, it is tried, and waits again", async () => {
    await page.getByRole("button", { name: "Retry now" }).click();
    await expect(tries(page)).toHaveText(["Attempt 2", "Attempt 1"]);
    await expect(headed(page, "Waiting to retry")).toBeVisible();
  });

  await test.step("when the peer is back, it is delivered, and its receipt fits", async () => {
    await bravo.startAgain();
    // Its own call is enough: alpha does not wait until it looks again.
    await bravo.admin("POST", "/peers/alpha/test");
    await expect(headed(page, "Delivered to bravo. Receipt checked.")).toBeVisible({ timeout: BACK_MS });
    await page.getByRole("button", { name: "Verify" }).click();
    await expect(page.getByText("All checks passed: the receipt matches the stored document.")).toBeVisible();
    await expectAccessible(page, BOTH);
  });

  const [arrived] = await inboxOf(bruno);
  expect(await bruno.text(`/inbox/${arrived?.id}/content?edition=marked`)).toBe(MARKED);
});

test("what waits can be cancelled, and is then not delivered", async ({ people, open, pair }) => {
  const { bravo } = pair;
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  const [berths, tides] = await Promise.all([
    makeDraft(anna, "berths.txt", MARKED),
    makeDraft(anna, "tides.txt", MARKED),
  ]);
  // The gateway keeps who can receive there.
  await anna.api("GET", "/peers/bravo/recipients");
  await bravo.stop();
  await send(anna, berths, bruno);
  await send(anna, tides, bruno);
  const page = await open(anna, "/sent");
  for (const name of ["berths.txt", "tides.txt"]) {
    await expect(rowOf(page, name)).toContainText(/Waiting, next attempt in \d+.*: bravo cannot be reached/);
  }
  await expectAccessible(page, BOTH);
  await expectToFitPhone(page);

  await test.step("it is cancelled, once that is confirmed", async () => {
    await page.getByRole("link", { name: "tides.txt" }).click();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    const sure = page.getByRole("alertdialog", { name: "Cancel this transfer?" });
    await expectAccessible(page, BOTH);
    await sure.getByRole("button", { name: "Keep sending" }).click();
    await expect(headed(page, "Waiting to retry")).toBeVisible();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await sure.getByRole("button", { name: "Cancel transfer" }).click();
    await expect(headed(page, "Cancelled")).toBeVisible();
    await expect(page.getByRole("button", { name: "Retry now" })).toHaveCount(0);
    await page.getByRole("link", { name: "Sent", exact: true }).first().click();
    await expect(rowOf(page, "tides.txt")).toContainText("Cancelled");
    await expect(rowOf(page, "berths.txt")).toContainText("Waiting");
  });

  await test.step("its last known recipients can be chosen, and the document waits", async () => {
    await page.goto(`/documents/${tides.id}`);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill(bruno.displayName);
    await page.getByRole("option", { name: bruno.displayName }).click();
    await expect(dialog.getByText(/Bravo does not answer\. This list is from \d/)).toBeVisible();
    await expectAccessible(page, BOTH);
    await expectToFitPhone(page);
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await expect(headed(page, "Waiting to retry")).toBeVisible();
  });

  await bravo.startAgain();
  await expect(headed(page, "Delivered to bravo. Receipt checked.")).toBeVisible({ timeout: BACK_MS });
  await page.getByRole("link", { name: "Sent", exact: true }).first().click();
  await page.getByRole("link", { name: "berths.txt" }).click();
  await expect(headed(page, "Delivered to bravo. Receipt checked.")).toBeVisible({ timeout: BACK_MS });
  expect((await inboxOf(bruno)).map(({ name }) => name).sort()).toEqual(["berths.txt", "tides.txt"]);
});
