/** To whom a document goes: two people named alike, a group over two gateways, with a deadline, by the keyboard alone. */
import { randomBytes } from "node:crypto";
import { threeOffices } from "../fixtures/office.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { addPersonNamed, type Person } from "../fixtures/people.ts";
import { makeDraft } from "../fixtures/seed.ts";
import { expect } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const TEXT = "The berths of the harbour.\n<$S>Pier nine opens at dawn.<$E>\n";

type Transfer = { readonly created_at: string; readonly deadline_at: string };

const setUnit = (person: Person, unit: string) =>
  person.gateway.admin("PATCH", `/people/${person.id}`, { json: { unit } });

threeOffices("a document for namesakes at two gateways", async ({ people, open, pair }) => {
  const tag = randomBytes(4).toString("hex");
  const name = `Anna Berg ${tag}`;
  const roles = { is_recipient: true, cleared: true } as const;
  const [author, harbour, archive, bruno] = await Promise.all([
    people.author(),
    addPersonNamed(pair.bravo, `a.berg-${tag}`, name, roles),
    addPersonNamed(pair.charlie, `anna-${tag}`, name, roles),
    people.cleared(pair.bravo),
  ]);
  await Promise.all([setUnit(harbour, "Harbour office"), setUnit(archive, "Archive")]);
  const [berths, tides] = [await makeDraft(author, "berths.txt", TEXT), await makeDraft(author, "tides.txt", TEXT)];

  const page = await open(author, `/documents/${berths.id}`);
  const dialog = page.getByRole("dialog", { name: "Send this document" });
  const recipients = dialog.getByRole("combobox", { name: "Recipients" });
  const warning = `Two people are named ${name}. Check that you choose the right one.`;

  await threeOffices.step("namesakes have their unit, and are chosen by it", async () => {
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(recipients).toBeFocused();
    await recipients.fill(name);
    await expect(page.getByRole("option", { name })).toHaveCount(2);
    await expect(page.getByText(warning)).toBeVisible();
    await expectAccessible(page, BOTH);
    await recipients.fill(`${archive.name} · Archive`);
    await page.getByRole("option", { name: `${archive.name} · Archive · charlie` }).click();
    await expect(dialog.getByText(warning)).toBeVisible();
    await recipients.fill(bruno.name);
    await page.getByRole("option", { name: bruno.displayName }).click();
  });

  await threeOffices.step("the choice is saved as a group", async () => {
    await dialog.getByRole("button", { name: "Save as a group" }).click();
    const save = page.getByRole("dialog", { name: "Save as a group" });
    await save.getByRole("textbox", { name: "Name of the group" }).fill("Crisis team");
    await expectAccessible(page, BOTH);
    await save.getByRole("button", { name: "Save group" }).click();
    await expect(save).toBeHidden();
  });

  await threeOffices.step("with a deadline, Ctrl+Enter sends to both gateways", async () => {
    await dialog.getByRole("button", { name: /^Options/ }).click();
    await dialog.getByRole("combobox", { name: "Give up after" }).click();
    await page.getByRole("option", { name: "1 day" }).click();
    await dialog.getByRole("button", { name: /^Options/ }).click();
    await expect(dialog.getByRole("button", { name: /^Options/ })).toContainText("give up after 1 day");
    await expectAccessible(page, BOTH);
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("heading", { name: "Sent", exact: true })).toBeVisible();
    for (const peer of ["bravo", "charlie"]) {
      await expect(page.getByRole("listitem").filter({ hasText: `at ${peer}` })).toContainText("Delivered");
    }
    const { items } = await author.api<{ items: Transfer[] }>("GET", "/transfers");
    const spans = items.map(({ created_at, deadline_at }) => Date.parse(deadline_at) - Date.parse(created_at));
    expect(spans.map((span) => Math.round(span / 1000))).toEqual([86_400, 86_400]);
  });

  await threeOffices.step("on a phone the group is chosen at once", async () => {
    await page.setViewportSize(phone.viewport);
    await page.goto(`/documents/${tides.id}`);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await recipients.fill("Crisis");
    await page.getByRole("option", { name: /^Crisis team/ }).click();
    await expect(dialog.getByLabel(`${name} (Archive)`, { exact: true })).toBeVisible();
    for (const peer of ["bravo", "charlie"])
      await expect(dialog.getByRole("region", { name: `To ${peer}` })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, BOTH);
    await dialog.getByRole("button", { name: "Manage groups" }).click();
    const manage = page.getByRole("dialog", { name: "Groups of recipients" });
    await manage.getByRole("button", { name: "Delete Crisis team" }).click();
    await expect(manage.getByText("You have no groups.")).toBeVisible();
    await expectNoSidewaysScroll(page);
  });
});
