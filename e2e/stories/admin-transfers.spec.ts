/** An admin looks after what everybody sends: who, to whom, how it went and how long it took. Never what is in it. */
import type { Locator, Page } from "@playwright/test";
import { contains } from "../fixtures/encodings.ts";
import { expectAccessible, expectToFitPhone } from "../fixtures/page-checks.ts";
import { PageRecorder } from "../fixtures/page-recorder.ts";
import type { Person } from "../fixtures/people.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";
import { PLAIN, SECRETS, sendBerths } from "../fixtures/unique-document.ts";

const BOTH = ["light", "dark"] as const;
const PHASES = ["Sieve", "Establishment", "Split", "Data transfer", "Combine", "Integrate", "Total"];
const PATH = "/admin/transfers";

const documents = (page: Page) => page.getByRole("region", { name: "Transfers" }).getByRole("link");

/** Takes that choice of the filter called so. */
async function filter(page: Page, name: string, choice: string | RegExp): Promise<void> {
  await page.getByRole("combobox", { name }).click();
  await page.getByRole("option", { name: choice }).click();
}

/** Every phase with its time; together they are the whole, but for what rounding takes. */
async function expectTimings(table: Locator): Promise<void> {
  await expect(table.getByRole("rowheader")).toHaveText(PHASES);
  const shares = await table.getByRole("cell", { name: /^\d+ %$/ }).allTextContents();
  const sum = shares.reduce((total, share) => total + Number.parseInt(share, 10), 0);
  expect(sum).toBeGreaterThanOrEqual(90);
  expect(sum).toBeLessThanOrEqual(105);
}

async function sendText(author: Person, name: string, recipient: Person): Promise<void> {
  await delivered(author, await send(author, await makeDraft(author, name, "Berth <$S>3<$E>.\n"), recipient));
}

test("filters are in the address and filter the list", async ({ people, open, pair }) => {
  const [ada, anna, olga, bruno] = await Promise.all([
    people.admin(),
    people.author(),
    people.author(),
    people.cleared(),
  ]);
  await pair.bravo.stop();
  const tides = await makeDraft(anna, "tides.txt", "High at <$S>nine<$E>.\n");
  await anna.api("POST", `/transfers/${await send(anna, tides, bruno)}/cancel`);
  await pair.bravo.startAgain();
  await sendText(anna, "berths.txt", bruno);
  await sendText(anna, "berths again.txt", bruno);
  await sendText(olga, "berths.txt", bruno);

  const page = await open(ada, PATH);
  await filter(page, "Author", new RegExp(anna.name));
  await expect(page).toHaveURL(`${PATH}?author=${anna.name}`);
  await expect(documents(page)).toHaveText(["berths again.txt", "berths.txt", "tides.txt"]);
  await filter(page, "State", "Cancelled");
  await expect(page).toHaveURL(`${PATH}?author=${anna.name}&state=cancelled`);
  await expect(documents(page)).toHaveText(["tides.txt"]);
  await expectAccessible(page, BOTH);
  await expectToFitPhone(page);
  await filter(page, "State", "Delivered");
  await page.getByRole("textbox", { name: "Search by document name" }).fill("AGAIN");
  await expect(documents(page)).toHaveText(["berths again.txt"]);
  await filter(page, "Peer", "bravo");
  const today = new Date().toISOString().slice(0, 10);
  await page.getByLabel("Since").fill(today);
  const asked = { author: anna.name, state: "delivered", search: "AGAIN", peer: "bravo", since: today };
  await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual(asked);
  await expect(documents(page)).toHaveText(["berths again.txt"]);

  // The address is all that a colleague needs.
  const { pathname, search } = new URL(page.url());
  const other = await open(await people.admin(), pathname + search);
  await expect(documents(other)).toHaveText(["berths again.txt"]);
  await expect(other.getByRole("combobox", { name: "Author" })).toHaveText(anna.displayName);
  await expect(other.getByRole("combobox", { name: "State" })).toHaveText("Delivered");
  await expect(other.getByRole("textbox", { name: "Search by document name" })).toHaveValue("AGAIN");
  await other.getByLabel("Since").fill("2999-01-01");
  await expect(other.getByText("No transfers match these filters", { exact: true })).toBeVisible();
  await expectAccessible(other, BOTH);
  await other.getByRole("button", { name: "Clear filters" }).click();
  await expect(other).toHaveURL(PATH);
  await expect(documents(other).first()).toBeVisible();
  await expect(other.getByRole("combobox", { name: "Author" })).toHaveText("Any author");
});

test("an admin sees how long each phase took, but not the document's content", async ({ people, visit, pair }) => {
  const [ada, anna, bruno] = await Promise.all([people.admin(), people.author(), people.cleared()]);
  await sendBerths(anna, bruno);
  const page = await visit(pair.alpha, "/sign-in");
  const recorder = await PageRecorder.of(page);
  await page.getByLabel("Login").fill(ada.name);
  await page.getByLabel("Password", { exact: true }).fill(ada.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Transfers" }).first().click();
  await filter(page, "Author", new RegExp(anna.name));

  await test.step("in the list", async () => {
    // Named by its author: until the filter applies, others' transfers are listed, too.
    const row = page.getByRole("row").filter({ hasText: `${anna.displayName} to ${bruno.displayName} at bravo` });
    await expect(row.getByRole("link", { name: "berths.txt" })).toBeVisible();
    await expectTimings(row.getByRole("table", { name: "Timing of berths.txt" }));
    await expectAccessible(page, BOTH);
  });

  await test.step("and on the transfer's page, which has nothing to be done there", async () => {
    await expect(documents(page)).toHaveText(["berths.txt"]);
    await page.getByRole("link", { name: "berths.txt" }).click();
    await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
    await expectTimings(page.getByRole("table", { name: "Where the time went" }));
    await expect(page.getByRole("link", { name: "Open document" })).toHaveCount(0);
    for (const action of ["Cancel", "Retry now"]) {
      await expect(page.getByRole("button", { name: action, exact: true })).toHaveCount(0);
    }
    await page.getByRole("button", { name: "Verify" }).click();
    await expect(page.getByText("All checks passed: the receipt matches the stored document.")).toBeVisible();
    await page.getByText("What these figures mean").click();
    await expectAccessible(page, BOTH);
    await expectToFitPhone(page);
  });

  await test.step("nor is the document opened to them", async () => {
    const { items } = await anna.api<{ items: { id: string }[] }>("GET", "/drafts");
    await page.goto(`/documents/${items[0]?.id}`);
    await expect(page.getByRole("heading", { name: "You do not have access" })).toBeVisible();
  });

  const recorded = await recorder.all();
  const where = (text: string) => recorded.filter(({ bytes }) => contains(bytes, text)).map((one) => one.where);
  expect(where(anna.name), "the recorded responses contain the name").not.toEqual([]);
  for (const text of [PLAIN.slice(0, 60), ...SECRETS.filter(({ length }) => length >= 12)]) {
    expect(where(text), `an admin received "${text}"`).toEqual([]);
  }
});
