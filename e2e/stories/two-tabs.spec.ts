/** The same document in two tabs of one browser: nothing that somebody wrote is lost unasked, in neither of them. */
import type { Page, Route } from "@playwright/test";
import { expectAccessible } from "../fixtures/page-checks.ts";
import type { Person } from "../fixtures/people.ts";
import { type Draft, makeDraft } from "../fixtures/seed.ts";
import { expect, test } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const BEGUN = "Berth <$S>three<$E> opens.";
const THEIRS = "Theirs. Berth <$S>three<$E> opens.";
const MINE = "Berth <$S>three<$E> opens. Mine.";

const textOf = (page: Page) => page.getByRole("textbox", { name: "Text of the document" });
const savedIn = (page: Page) => page.getByText("Saved", { exact: true });

async function anotherTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(path);
  return tab;
}

/** What the gateway has, as marked text. */
async function expectSaved(page: Page, { id }: Pick<Draft, "id">, marked: string): Promise<void> {
  const saved = async () => (await page.request.get(`/api/v1/drafts/${id}/content?edition=marked`)).text();
  await expect.poll(saved, { intervals: [50, 100, 200] }).toBe(marked);
}

type Kept = { items: { id: string; name: string; revision: number }[] };
const kept = async (author: Person) => (await author.api<Kept>("GET", "/drafts")).items;

/** Its next save is on its way until it is continued. */
async function holdFirstSave(page: Page): Promise<{ save: Promise<Route> }> {
  let hold: ((route: Route) => void) | null = null;
  const save = new Promise<Route>((resolve) => {
    hold = resolve;
  });
  await page.route(/\/drafts\/[^/]+\?/, async (route) => {
    if (route.request().method() !== "PUT" || !hold) return route.continue();
    hold(route);
    hold = null;
  });
  return { save };
}

type Meeting = { anna: Person; draft: Draft; mine: Page; theirs: Page };

/** Both tabs have changed the document, and theirs was saved first. */
async function bothChanged(
  author: Person,
  open: (person: Person, path: string) => Promise<Page>,
  begun = BEGUN,
): Promise<Meeting> {
  const draft = await makeDraft(author, "berths.txt", begun);
  const path = `/documents/${draft.id}`;
  const mine = await open(author, path);
  const theirs = await anotherTab(mine, path);
  await expect(textOf(theirs)).toContainText("Berth three opens.");
  // My save is on its way while theirs is made.
  const underWay = await holdFirstSave(mine);
  await textOf(mine).focus();
  await mine.keyboard.press("Control+End");
  await mine.keyboard.type(" Mine.");
  const save = await underWay.save;
  await textOf(theirs).focus();
  await theirs.keyboard.type("Theirs. ");
  await expectSaved(theirs, draft, `Theirs. ${begun}`);
  await save.continue();
  return { anna: author, draft, mine, theirs };
}

test("two tabs changed a document: mine replaces theirs", async ({ people, open, guard }) => {
  guard.allowStatus(412);
  const { draft, mine, theirs } = await bothChanged(await people.author(), open);
  const dialog = mine.getByRole("dialog", { name: /^Saved elsewhere at / });
  await expect(dialog.getByRole("button", { name: "Keep mine as a new document" })).toBeFocused();
  await expectAccessible(mine, BOTH);

  await test.step("it can be decided later; nothing is saved until then", async () => {
    await dialog.getByRole("button", { name: "Decide later" }).click();
    await expect(mine.getByText("Not saved: it was also saved elsewhere").first()).toBeVisible();
    await expectAccessible(mine, BOTH);
    await textOf(mine).focus();
    await mine.keyboard.press("Control+s");
    await expectSaved(mine, draft, THEIRS);
    await expect(textOf(mine)).toHaveText("Berth three opens. Mine.");
    await mine.getByRole("button", { name: "Decide", exact: true }).click();
  });

  await dialog.getByRole("button", { name: "Keep mine", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expectSaved(mine, draft, MINE);
  await expect(savedIn(mine)).toBeVisible();
  // Theirs has nothing that is not saved, so it follows.
  await expect(textOf(theirs)).toHaveText("Berth three opens. Mine.");
  await expect(savedIn(theirs)).toBeVisible();
});

test("two tabs changed a document: theirs replaces mine", async ({ people, open, guard }) => {
  guard.allowStatus(412);
  const { anna, draft, mine } = await bothChanged(await people.author(), open);
  const dialog = mine.getByRole("dialog", { name: /^Saved elsewhere at / });
  await dialog.getByRole("button", { name: "Take theirs" }).click();
  const sure = mine.getByRole("alertdialog", { name: "Discard your changes?" });
  await expect(sure).toBeVisible();
  await expectAccessible(mine, BOTH);
  await sure.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeVisible();
  await expect(mine.getByLabel("Text of the document")).toContainText("Mine.");
  await dialog.getByRole("button", { name: "Take theirs" }).click();
  await sure.getByRole("button", { name: "Take theirs" }).click();
  await expect(dialog).toBeHidden();
  await expect(textOf(mine)).toHaveText("Theirs. Berth three opens.");
  await expect(savedIn(mine)).toBeVisible();
  await expectSaved(mine, draft, THEIRS);
  expect(await kept(anna)).toMatchObject([{ id: draft.id, revision: 2 }]);
});

test("two tabs changed a document: mine becomes a new document", async ({ people, open, guard }) => {
  guard.allowStatus(412);
  const { anna, draft, mine, theirs } = await bothChanged(await people.author(), open);
  await mine.getByRole("button", { name: "Keep mine as a new document" }).click();
  await expect(mine.getByRole("heading", { name: "berths (mine).txt", level: 1 })).toBeVisible();
  await expect(mine).not.toHaveURL(new RegExp(draft.id));
  const [made, first] = await kept(anna);
  expect(made).toMatchObject({ name: "berths (mine).txt", revision: 1 });
  expect(first).toMatchObject({ id: draft.id, name: "berths.txt", revision: 2 });
  await expectSaved(mine, made ?? draft, MINE);
  await expectSaved(mine, draft, THEIRS);
  await expect(textOf(theirs)).toHaveText("Theirs. Berth three opens.");
  // One goes on in the new one.
  await textOf(mine).focus();
  await mine.keyboard.press("Control+End");
  await mine.keyboard.type(" All.");
  await expectSaved(mine, made ?? draft, `${MINE} All.`);

  await test.step("so does a text that is too long for pages", async () => {
    const long = `${BEGUN}\r\n${"It is free until noon.\r\n".repeat(100_000)}`;
    const goTo = async (_: Person, path: string) => {
      await mine.goto(path);
      return mine;
    };
    const meeting = await bothChanged(anna, goTo, long);
    await mine.getByRole("button", { name: "Keep mine as a new document" }).click();
    await expect(mine).not.toHaveURL(new RegExp(meeting.draft.id));
    const [copy] = await kept(anna);
    await expectSaved(mine, copy ?? meeting.draft, `${long} Mine.`);
    await expectSaved(mine, meeting.draft, `Theirs. ${long}`);
    await expect(textOf(meeting.theirs)).toContainText("Theirs. Berth three opens.");
  });
});

test("a tab without changes updates, and its cursor keeps its place", async ({ people, open }) => {
  const anna = await people.author();
  const draft = await makeDraft(anna, "berths.txt", BEGUN);
  const follows = await open(anna, `/documents/${draft.id}`);
  await textOf(follows).focus();
  await follows.keyboard.press("Control+End");
  const writes = await anotherTab(follows, `/documents/${draft.id}`);
  await textOf(writes).focus();
  await writes.keyboard.type("Theirs. ");
  await expect(savedIn(writes)).toBeVisible();
  await expect(textOf(follows)).toHaveText("Theirs. Berth three opens.");
  await expect(follows.getByText("This is now the newer version")).toBeVisible();
  await expect(follows.getByRole("dialog")).toHaveCount(0);
  await expect(textOf(follows)).toBeFocused();
  await expectAccessible(follows, BOTH);

  await follows.keyboard.type(" Mine.");
  await expectSaved(follows, draft, "Theirs. Berth <$S>three<$E> opens. Mine.");
  await expect(textOf(writes)).toHaveText("Theirs. Berth three opens. Mine.");

  await writes.getByRole("button", { name: "Rename" }).click();
  await writes.getByRole("textbox", { name: "Name" }).fill("quays.txt");
  await writes.keyboard.press("Enter");
  await expect(follows.getByRole("heading", { name: "quays.txt", level: 1 })).toBeVisible();
  await expect(follows.getByRole("dialog")).toHaveCount(0);
});

test("a document deleted in another tab can be kept or dropped", async ({ people, open, guard }) => {
  guard.allowStatus(404);
  const anna = await people.author();
  const draft = await makeDraft(anna, "berths.txt", BEGUN);
  const path = `/documents/${draft.id}`;
  const page = await open(anna, path);
  const [keeps, leaves] = [await anotherTab(page, path), await anotherTab(page, path)];
  for (const tab of [keeps, leaves]) await expect(textOf(tab)).toHaveText("Berth three opens.");
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/documents$/);
  await expect(page.getByRole("heading", { name: "No documents yet. Get started in three steps" })).toBeVisible();

  const told = keeps.getByRole("dialog", { name: "Deleted elsewhere" });
  await expect(told).toBeVisible();
  await expectAccessible(keeps, BOTH);
  await told.getByRole("button", { name: "Keep as a new document" }).click();
  await expect(told).toBeHidden();
  await expect(textOf(keeps)).toHaveText("Berth three opens.");
  const [made, ...more] = await kept(anna);
  expect(more).toEqual([]);
  expect(made).toMatchObject({ name: "berths.txt", revision: 1 });
  await expectSaved(keeps, made ?? draft, BEGUN);
  await expect(page.getByRole("link", { name: "berths.txt" })).toBeVisible();

  await leaves
    .getByRole("dialog", { name: "Deleted elsewhere" })
    .getByRole("button", { name: "Leave it deleted" })
    .click();
  await expect(leaves).toHaveURL(/\/documents$/);
  await expect(leaves.getByRole("link", { name: "berths.txt" })).toBeVisible();
  expect(await kept(anna)).toHaveLength(1);
});

test("tabs share one stream of events, and another tab takes over when the leading one closes", async ({
  people,
  open,
}) => {
  const anna = await people.author();
  const draft = await makeDraft(anna, "berths.txt", BEGUN);
  const path = `/documents/${draft.id}`;
  const first = await open(anna, "/account");
  const liveIn = (page: Page) => page.getByRole("status", { name: "Changes appear automatically." });
  // Its own stream is none of those that are counted.
  await expect(liveIn(first)).toBeVisible();
  let streams = 0;
  first.context().on("request", (request) => {
    if (request.url().endsWith("/api/v1/events")) streams += 1;
  });
  await first.goto(path);
  await expect(liveIn(first)).toBeVisible();
  const second = await anotherTab(first, path);
  const third = await anotherTab(first, path);
  for (const tab of [second, third]) await expect(liveIn(tab)).toBeVisible();

  const write = async (revision: number, marked: string) => {
    const headers = { "If-Match": `"${revision}"` };
    await anna.api("PUT", `/drafts/${draft.id}`, { query: { form: "marked" }, headers, body: marked });
  };
  await write(1, "Told to all.");
  for (const tab of [first, second, third]) await expect(textOf(tab)).toHaveText("Told to all.");
  expect(streams, "streams for three tabs").toBe(1);

  await first.close();
  await expect.poll(() => streams).toBe(2);
  for (const tab of [second, third]) await expect(liveIn(tab)).toBeVisible();
  await write(2, "Told to those that are left.");
  for (const tab of [second, third]) await expect(textOf(tab)).toHaveText("Told to those that are left.");
  expect(streams, "one more, for the two that are left").toBe(2);
});
