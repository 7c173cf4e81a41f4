/** What people may do changes while they work: they see it at once, and never more than they may. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { expectAccessible, expectToFitPhone, phone } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;

const ON_A_SCREEN = 20;
const ROW_PX = 30;

const rowOf = (page: Page, { name }: Person) => page.getByRole("row", { name: new RegExp(name) });

async function choose(page: Page, person: Person, what: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${person.displayName}` }).click();
  await page.getByRole("menuitem", { name: what, exact: true }).click();
}

test("an admin gives and removes roles", async ({ people, open, guard }) => {
  guard.allowStatus(403);
  const [ada, anna] = await Promise.all([people.admin(), people.author()]);
  const [page, annas] = await Promise.all([open(ada), open(anna)]);
  await page.getByRole("textbox", { name: "Search people" }).fill(anna.name);
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(rowOf(page, anna)).toContainText("Author");
  await choose(page, anna, "Change roles and clearance");
  const dialog = page.getByRole("dialog", { name: anna.displayName });
  await dialog.getByRole("checkbox", { name: "Author" }).uncheck();
  await dialog.getByRole("checkbox", { name: "Recipient" }).check();
  await expectAccessible(page, BOTH);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(rowOf(page, anna)).toContainText("Recipient");
  await expect(rowOf(page, anna)).not.toContainText("Author");

  await test.step("and has documents announced to her program", async () => {
    const program = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
    await once(program, "listening");
    const address = `http://127.0.0.1:${(program.address() as AddressInfo).port}/hook`;
    await choose(page, anna, "Webhooks");
    const webhooks = page.getByRole("dialog", { name: `Webhooks of ${anna.displayName}` });
    await expect(webhooks.getByText("No webhooks yet.")).toBeVisible();
    await webhooks.getByLabel("Address").fill(address);
    await webhooks.getByRole("button", { name: "Add webhook" }).click();
    await expect(webhooks.getByLabel("Secret of the new webhook")).toHaveText(/\S{32}/);
    await expect(webhooks.getByRole("listitem")).toContainText("Not called yet.");
    await webhooks.getByRole("button", { name: `Test ${address}` }).click();
    await expect(webhooks.getByRole("listitem")).toContainText("Last request accepted");
    await expectAccessible(page, BOTH);
    await expectToFitPhone(page);
    await webhooks.getByRole("button", { name: `Remove ${address}` }).click();
    await expect(webhooks.getByText("No webhooks yet.")).toBeVisible();
    await webhooks.getByRole("button", { name: "Done" }).click();
    program.close();
    program.closeAllConnections();
  });

  await annas.goto("/documents");
  await expect(annas.getByRole("heading", { name: "You do not have access" })).toBeVisible();
  await expectAccessible(annas, BOTH);
  await annas.getByRole("link", { name: "Inbox" }).click();
  await expect(annas.getByRole("heading", { name: "Inbox", level: 1 })).toBeVisible();
});

test("an admin imports people from a CSV file, all or none, and gets their links", async ({ people, open }) => {
  const [ada, anna] = await Promise.all([people.admin(), people.author()]);
  const page = await open(ada);
  const zoe = `zoe-${ada.name}`;
  const file = (roles: string) => ({
    name: "people.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(
      `\ufeffLogin;Name;Roles;Cleared\r\n${zoe};=Zoë;${roles};yes\r\n${anna.name};;author recipient;\r\n`,
    ),
  });
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Import people" });
  const choose = dialog.getByLabel("CSV file");
  await choose.setInputFiles(file("recipient king"));
  await expect(dialog.getByRole("alert")).toContainText("2 rows are refused.");
  await expect(dialog.getByRole("row", { name: zoe })).toContainText("“king” is not a role");
  await expect(dialog.getByRole("button", { name: "Import", exact: true })).toBeDisabled();
  await expectAccessible(page, BOTH);
  const { buffer, ...named } = file("recipient");
  await choose.setInputFiles({ ...named, buffer: Buffer.from(buffer.toString().replace(";;author", ";Anna;author")) });
  await expect(dialog.getByRole("row", { name: anna.name })).toContainText("Roles: author → author recipient");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Import 2 people" }).click();
  const links = page.getByRole("dialog", { name: "Links for the new people" });
  await expect(links.getByRole("row", { name: zoe })).toContainText("/welcome#");
  await expectAccessible(page, BOTH);
  await links.getByRole("button", { name: "Done" }).click();
  await page.getByRole("textbox", { name: "Search people" }).fill(zoe);
  await expect(page.getByRole("row", { name: zoe })).toContainText("No password yet");
});

test("admins see 20 rows on a screen, and find, filter and export what was recorded", async ({ people, open }) => {
  const ada = await people.admin();
  const logins = Array.from({ length: ON_A_SCREEN }, (_, at) => `row-${at}-${ada.name}`);
  for (const name of logins) {
    await ada.api("POST", "/people", { json: { name, display_name: name, unit: "Registry", is_recipient: true } });
  }
  const page = await open(ada, `/admin/people?search=${ada.name}`);
  const rows = page.getByRole("row").filter({ hasText: `row-` });
  await expect(rows).toHaveCount(ON_A_SCREEN);
  // Above them may be what waits for a second admin, so heights are compared.
  for (const row of await rows.all()) expect((await row.boundingBox())?.height).toBeLessThanOrEqual(ROW_PX);

  await page.goto(`/admin/audit?actor=${ada.name}`);
  const entries = page.getByRole("region", { name: "Audit log" }).getByRole("row");
  await expect(entries.nth(ON_A_SCREEN)).toBeInViewport({ ratio: 0.9 });
  await page.getByRole("textbox", { name: "Search by login, peer or id" }).fill(`row-7-${ada.name}`);
  await expect(entries).toHaveCount(2);
  await expect(entries.nth(1)).toContainText(`${ada.name} added row-7-${ada.name}: recipient`);
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Sign-ins" }).click();
  await expect(page.getByText("No entries match these filters")).toBeVisible();
  await expectAccessible(page, BOTH);
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "People", exact: true }).click();
  await expect(entries).toHaveCount(2);
  const exported = async (name: string) => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: `Export as ${name}` }).click(),
    ]);
    return (await readFile(await file.path(), "utf8")).trim().split(/\r?\n/);
  };
  const rowsOfCsv = await exported("CSV");
  expect(rowsOfCsv).toHaveLength(2);
  expect(rowsOfCsv[1]).toContain(`row-7-${ada.name}`);
  const [entry, ...more] = await exported("JSON Lines");
  expect(JSON.parse(entry ?? "")).toMatchObject({ action: "person-added", subject: `row-7-${ada.name}` });
  expect(more).toEqual([]);

  // On a phone each row is a card, as high as its content.
  await page.setViewportSize(phone.viewport);
  await page.goto(`/admin/people?search=${ada.name}`);
  await expect(rows).toHaveCount(ON_A_SCREEN);
  const cut = (cells: Element[]) => cells.filter((cell) => cell.scrollHeight > cell.clientHeight + 1).length;
  expect(await page.locator("tbody > tr > *").evaluateAll(cut)).toBe(0);
});

test("a reader who loses clearance no longer sees classified text", async ({ people, open, pair }) => {
  const { bravo } = pair;
  const [anna, bruno, ada] = await Promise.all([people.author(), people.cleared(), people.admin(bravo)]);
  const draft = await makeDraft(anna, "berths.txt", "Berth 3 opens on <$S>the sixth of October<$E>.");
  await delivered(anna, await send(anna, draft, bruno));
  const [page, brunos] = await Promise.all([open(ada), open(bruno)]);
  await brunos.getByRole("link", { name: "berths.txt" }).click();
  const document = brunos.getByRole("article", { name: "berths.txt" });
  await expect(document).toHaveText("Berth 3 opens on the sixth of October.");

  await choose(page, bruno, "Change roles and clearance");
  const dialog = page.getByRole("dialog", { name: bruno.displayName });
  await dialog.getByRole("checkbox", { name: "Cleared" }).uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(rowOf(page, bruno)).not.toContainText("Cleared");

  await brunos.bringToFront();
  await expect(brunos.getByText("Your clearance was removed while you were reading.")).toBeVisible();
  await expect(document).toHaveText("Berth 3 opens on .");
  await expect(document.getByRole("img", { name: "withheld" })).toHaveCount(1);
  await expect(brunos.getByText("the sixth of October")).toHaveCount(0);
  await expectAccessible(brunos, BOTH);
});

test("a disabled person is signed out at once, and can sign in again once enabled", async ({ people, open, guard }) => {
  guard.allowStatus(401);
  const [ada, anna] = await Promise.all([people.admin(), people.author()]);
  const [page, annas] = await Promise.all([open(ada), open(anna)]);
  await expect(annas.getByRole("heading", { name: "Documents", level: 1 })).toBeVisible();
  await choose(page, anna, "Disable");
  await expectAccessible(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click();
  await expect(rowOf(page, anna)).toContainText("Disabled");
  const ended = annas.getByRole("dialog", { name: "You are signed out" });
  await ended.getByLabel("Password", { exact: true }).fill(anna.password);
  await ended.getByRole("button", { name: "Sign in" }).click();
  await expect(ended.getByRole("alert")).toBeVisible();

  await choose(page, anna, "Enable");
  await page.getByRole("alertdialog").getByRole("button", { name: "Enable" }).click();
  await expect(rowOf(page, anna)).not.toContainText("Disabled");
  await ended.getByLabel("Password", { exact: true }).fill(anna.password);
  await ended.getByRole("button", { name: "Sign in" }).click();
  await expect(ended).toBeHidden();
});

test("the settings page shows settings, but no secrets", async ({ people, open }) => {
  const page = await open(await people.admin(), "/admin/settings");
  await expect(page.getByRole("row", { name: /SIEVE_PLAIN_URL/i })).toBeVisible();
  await expectAccessible(page, BOTH);
});
