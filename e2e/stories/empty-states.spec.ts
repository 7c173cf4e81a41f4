/** Where nothing is yet, the page says what to do; and where a name is as long as it may be, the page holds it. */
import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import type { Gateway, Gateways } from "../fixtures/gateways.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { addPersonNamed } from "../fixtures/people.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { choosePassword, firstAdmin } from "../fixtures/sign-in.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;

async function expectToHold(page: Page): Promise<void> {
  await expectNoSidewaysScroll(page);
  await expectAccessible(page, BOTH);
}

test("an author without documents sees three first steps", async ({ people, open }) => {
  const page = await open(await people.author());
  const steps = page.getByRole("region", { name: "No documents yet. Get started in three steps" });
  await expect(steps.getByRole("heading", { level: 3 })).toHaveText(["Write or import", "Mark", "Send"]);
  await expect(steps.getByRole("button")).toHaveText(["Import", "New document"]);
  await expect(page.getByRole("button", { name: "New document" })).toHaveCount(1);
  await expectToHold(page);

  await steps.getByRole("button", { name: "New document" }).click();
  const dialog = page.getByRole("dialog", { name: "New document" });
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await expectToHold(page);
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog.getByText("Enter a name.")).toBeVisible();
  await dialog.getByLabel("Name").fill("berths.txt");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Text of the document" })).toBeFocused();
  await expect(page.getByText("Write here, or paste text.")).toBeVisible();
  await expect(page.getByText("Nothing is marked yet")).toBeVisible();
  await expectToHold(page);
  await page.getByRole("button", { name: "What an eavesdropper sees" }).click();
  await expect(page.getByText("Nothing: the document is empty.")).toBeVisible();
  await expectToHold(page);

  await page.getByRole("link", { name: "Sent" }).click();
  await expect(page.getByText("You have not sent anything yet")).toBeVisible();
  await expectToHold(page);
  await page.getByRole("link", { name: "Open my documents" }).click();
  await expect(page.getByRole("link", { name: "berths.txt" })).toBeVisible();
});

test("a search without results says so and offers to show all", async ({ people, open }) => {
  const [anna, bruno] = await Promise.all([people.author(), people.cleared()]);
  await delivered(anna, await send(anna, await makeDraft(anna, "berths.txt", "Berth <$S>three<$E>."), bruno));
  const page = await open(anna);
  await page.getByRole("textbox", { name: "Search by name" }).fill("quays");
  await expect(page.getByText("No documents match “quays”")).toBeVisible();
  await expect(page).toHaveURL("/documents?search=quays");
  await expectToHold(page);
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(page.getByRole("link", { name: "berths.txt" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Documents", level: 1 })).toBeFocused();
  await expect(page.getByRole("textbox", { name: "Search by name" })).toHaveValue("");

  await page.goto("/sent?search=quays");
  await expect(page.getByText("No documents match these filters")).toBeVisible();
  await expectToHold(page);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByRole("link", { name: "berths.txt" })).toBeVisible();

  const brunos = await open(bruno);
  await brunos.getByRole("textbox", { name: "Search by name, sender or gateway" }).fill("quays");
  await expect(brunos.getByText("No documents match “quays”")).toBeVisible();
  await expectToHold(brunos);
  await brunos.getByRole("button", { name: "Show all" }).click();
  await expect(brunos.getByRole("link", { name: "berths.txt" })).toBeVisible();
});

test("an empty inbox says what senders need to know, and how documents will look", async ({ people, open }) => {
  const [bruno, rosa] = await Promise.all([people.cleared(), people.uncleared()]);
  const page = await open(bruno);
  const empty = page.getByRole("region", { name: "No documents yet" });
  await expect(empty.getByRole("definition")).toContainText(["bravo", bruno.name]);
  await expect(empty).toContainText("You are cleared");
  await expectToHold(page);
  const rosas = await open(rosa);
  await expect(rosas.getByRole("region", { name: "No documents yet" })).toContainText("You are not cleared");
  await expect(rosas.getByRole("img", { name: "withheld" })).toBeVisible();
  await expectToHold(rosas);
});

/** What an admin's program asks for. */
async function ask(page: Page, { url }: Gateway, method: string, path: string, data?: object) {
  const answer = await page.request.fetch(`${url}/api/v1${path}`, { method, headers: { Origin: url }, data });
  expect(answer.ok(), await answer.text()).toBe(true);
  return answer.json();
}

test("without a peer, an author asks an admin for people, and sends to a colleague", async ({ newOffices, visit }) => {
  const { alpha, bravo } = newOffices;
  const adas = await firstAdmin(alpha, visit);
  const json = { name: "anna", display_name: "Anna", is_author: true };
  const { id } = await ask(adas, alpha, "POST", "/people", json);
  const { url } = await ask(adas, alpha, "POST", `/people/${id}/link`);
  const page = await visit(alpha, url);
  await choosePassword(page, "Anna");
  await write(page);
  const dialog = page.getByRole("dialog", { name: "Send this document" });
  await expect(dialog.getByText("Nobody to send to")).toBeVisible();
  await expect(dialog).toContainText("Ask an admin to add people who can receive documents here");
  await expect(dialog.getByRole("link")).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: "Send" })).toHaveCount(0);
  await expectToHold(page);

  // A code that nobody has compared yet is half the way.
  const bravos = await firstAdmin(bravo, visit);
  const { invitation } = await ask(bravos, bravo, "GET", "/peers/invitation");
  await ask(adas, alpha, "POST", "/peers", { invitation });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(dialog).toContainText("The pairing with bravo is not confirmed. Ask an admin");

  // A gateway alone is enough for colleagues. What is for them never travels in clear, so nothing needs to be confirmed.
  await ask(adas, alpha, "POST", "/people", { name: "bruno", display_name: "Bruno", is_recipient: true });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await dialog.getByRole("combobox", { name: "Recipients" }).fill("bruno");
  await page.getByRole("option", { name: "bruno · This gateway" }).click();
  const forecast = dialog.getByRole("region", { name: "To people at this gateway" });
  await expect(forecast).toContainText("The document stays inside this gateway");
  await expectToHold(page);
  await dialog.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("heading", { name: "Delivered to alpha. Receipt checked." })).toBeVisible();
});

test("a new gateway alone: its first admin, who stays one; no policies, peers or transfers; a link to pairing", async ({
  newOffice: alpha,
  visit,
  guard,
}) => {
  const page = await visit(alpha);

  await test.step("it says how to create its first admin", async () => {
    await expect(page.getByText("sieve admin create")).toBeVisible();
    await expectAccessible(page, BOTH);
    await firstAdmin(alpha, async (_, path = "") => {
      await page.goto(path);
      return page;
    });
  });

  await test.step("the last admin cannot disable their own account", async () => {
    guard.allowStatus(409);
    await page.getByRole("button", { name: "Actions for ada" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Disable" }).click();
    await expect(page.getByRole("alertdialog").getByRole("alert")).toBeVisible();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("row", { name: /ada/ })).toContainText("Password set");
  });

  await test.step("an admin without policies starts from an example", async () => {
    await page.getByRole("link", { name: "Policies" }).click();
    await expect(page.getByText("No policies yet")).toBeVisible();
    await expectAccessible(page, BOTH);
    await page.getByRole("button", { name: "Use example Personal data" }).click();
    await expect(page.getByRole("heading", { name: "New policy", level: 1 })).toBeVisible();
    await expect(page.getByRole("list", { name: "Rules" }).getByRole("listitem")).toHaveCount(10);
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: "Personal data", level: 1 })).toBeVisible();
    await expect(page).toHaveURL(/\/admin\/policies\/personal-data$/);
  });

  await test.step("without a peer, an admin gets a link to pairing", async () => {
    await page.getByRole("link", { name: "Peers" }).click();
    await expect(page.getByText("No peers yet")).toBeVisible();
    await expect(page.getByRole("button", { name: "Pair with a gateway" })).toHaveCount(1);
    await expectToHold(page);
    await page.getByRole("link", { name: "Transfers" }).click();
    await expect(page.getByText("No transfers yet")).toBeVisible();
    await expectToHold(page);
    const [ada] = await ask(page, alpha, "GET", "/people");
    await ask(page, alpha, "PATCH", `/people/${ada.id}`, { is_author: true });
    await page.goto("/documents");
    await write(page);
    const dialog = page.getByRole("dialog", { name: "Send this document" });
    await expect(dialog).toContainText(
      "Add people who can receive documents here, or pair this gateway with another one.",
    );
    await expectToHold(page);
    await dialog.getByRole("link", { name: "Pair a gateway" }).click();
    await expect(page).toHaveURL(/\/admin\/peers/);
    await expect(page.getByText("No peers yet")).toBeVisible();
  });
});

/** Makes a document, and asks for it to be sent. */
async function write(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New document" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("berths.txt");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("textbox", { name: "Text of the document" }).pressSequentially("Berth 3");
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** The longest names that there are, without a place to break them. */
const LONG = `${"Liegeplatz".repeat(30).slice(0, 296)}.txt`;
const LONG_PERSON = "Wilhelmine".repeat(20);
const longLogin = (name: string) => `${name}-${randomBytes(4).toString("hex")}-`.padEnd(63, "x");

const DESK = { width: 1280, height: 800 };

/** What is on the screen stays within it, at either width. It ends on the phone. */
async function expectToHoldNames(page: Page): Promise<void> {
  await page.setViewportSize(DESK);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(phone.viewport);
  await expectNoSidewaysScroll(page);
}

test.describe("names of 300 characters are held", () => {
  test.use(phone);

  const author = ({ alpha }: Gateways) =>
    addPersonNamed(alpha, longLogin("anna"), LONG_PERSON, { is_author: true, is_admin: true });
  const recipient = ({ bravo }: Gateways) =>
    addPersonNamed(bravo, longLogin("bruno"), LONG_PERSON, { is_recipient: true, cleared: true });

  test("among their author’s documents", async ({ pair, open }) => {
    const anna = await author(pair);
    const draft = await makeDraft(anna, LONG, "Berth <$S>three<$E>.");
    expect((await anna.api<{ name: string }>("GET", `/drafts/${draft.id}`)).name).toBe(LONG);
    const page = await open(anna);
    await expect(page.getByRole("link", { name: LONG })).toBeVisible();
    await expectToHoldNames(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: `Account: ${LONG_PERSON}` }).click();
    await expect(page.getByText(`Signed in as ${anna.name}`)).toBeVisible();
    await expectNoSidewaysScroll(page);
    await page.getByRole("menuitem", { name: "Account" }).click();
    await expect(page.getByRole("heading", { name: LONG_PERSON })).toBeVisible();
    await expectToHoldNames(page);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Documents" }).last().click();
    const act = async (action: string) => {
      await page.getByRole("button", { name: /^Actions for Liegeplatz/ }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await act("Rename");
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectToHoldNames(page);
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await act("Delete");
    // The list is up to date before the deletion is undone: the page does not change again while the test searches.
    await expect(page.getByRole("heading", { name: /^No documents yet/ })).toBeVisible();
    await expectToHoldNames(page);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByRole("link", { name: LONG })).toBeVisible();
    const search = page.getByRole("textbox", { name: "Search by name" });
    await search.fill(LONG.slice(40, 240));
    await expect(page).toHaveURL(/search=/);
    await expect(page.getByRole("link", { name: LONG })).toBeVisible();
    await search.fill("x".repeat(200));
    await expect(page.getByText(/^No documents match/)).toBeVisible();
    await expectToHoldNames(page);
    await page.getByRole("button", { name: "Show all" }).click();

    await page.getByRole("link", { name: LONG }).click();
    await expect(page.getByRole("heading", { name: LONG })).toBeVisible();
    await expectToHoldNames(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Rename" }).click();
    await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue(LONG);
    await expectToHoldNames(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await expect(page.getByRole("alertdialog")).toContainText(LONG);
    await expectToHoldNames(page);
  });

  test("where they are sent, arrive, and are administered", async ({ pair, open }) => {
    const [anna, bruno] = await Promise.all([author(pair), recipient(pair)]);
    const { id } = await makeDraft(anna, LONG, "Berth <$S>three<$E>.");
    const page = await open(anna, `/documents/${id}`);

    await test.step("sent", async () => {
      await page.getByRole("button", { name: "Send", exact: true }).click();
      const dialog = page.getByRole("dialog", { name: "Send this document" });
      await dialog.getByRole("combobox", { name: "Recipients" }).fill(bruno.name);
      await expect(page.getByRole("option")).toHaveCount(1);
      await expectToHoldNames(page);
      await page.getByRole("option").click();
      await expect(page.getByRole("option")).toHaveCount(0);
      await expectToHoldNames(page);
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Send", exact: true }).click();
      await expect(page.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
      await expect(page.getByRole("heading", { name: LONG })).toBeVisible();
      await expectToHoldNames(page);
      await expectAccessible(page);
      await page.getByRole("link", { name: "Sent", exact: true }).last().click();
      await expect(page.getByRole("link", { name: LONG })).toBeVisible();
      await expectToHoldNames(page);
      await expectAccessible(page);
      await page.getByRole("link", { name: "Documents", exact: true }).last().click();
      await expect(page.getByRole("listitem").filter({ hasText: LONG })).toContainText("Delivered to bravo");
      await expectToHoldNames(page);
    });

    await test.step("administered", async () => {
      await page.goto(`/admin/transfers?author=${anna.name}`);
      await expect(page.getByRole("link", { name: LONG })).toBeVisible();
      await expectToHoldNames(page);
      await expectAccessible(page);
      await page.goto(`/admin/people?search=${anna.name}`);
      await expect(page.getByText(LONG_PERSON).filter({ visible: true }).first()).toBeVisible();
      await expectToHoldNames(page);
      await expectAccessible(page);
    });

    await test.step("received", async () => {
      const brunos = await open(bruno);
      await expect(brunos.getByRole("link", { name: LONG })).toBeVisible();
      await expectToHoldNames(brunos);
      await expectAccessible(brunos);
      await brunos.getByRole("link", { name: LONG }).click();
      await expect(brunos.getByRole("article", { name: LONG })).toHaveText("Berth three.");
      await expectToHoldNames(brunos);
      await expectAccessible(brunos);
      await brunos.getByRole("button", { name: "More", exact: true }).click();
      await brunos.getByRole("menuitem", { name: "Delete" }).click();
      await expect(brunos.getByText("Deleted", { exact: true }).last()).toBeVisible();
      await expectToHoldNames(brunos);
    });
  });
});
