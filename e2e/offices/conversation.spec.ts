/** A document arrives with a note and a request for read receipts. Its recipient opens it, replies and forwards it. */
import { officeWithLaboratory as test } from "../fixtures/office.ts";
import { expectAccessible, expectNoSidewaysScroll, phone } from "../fixtures/page-checks.ts";
import { addPerson } from "../fixtures/people.ts";
import { delivered, makeDraft, send } from "../fixtures/seed.ts";
import { expect } from "../fixtures/test.ts";

const BOTH = ["light", "dark"] as const;
const ROLES = { is_author: true, is_recipient: true, cleared: true } as const;
const NOTE = "Please confirm the time with the pilots.";

test("note, read receipt, reply and forward", async ({ open, pair }) => {
  const [anna, ben] = await Promise.all([addPerson(pair.alpha, "Anna", ROLES), addPerson(pair.bravo, "Ben", ROLES)]);
  const draft = await makeDraft(anna, "berths.txt", "The berths.\n<$S>Pier nine opens at dawn.<$E>\n");
  const annas = await open(anna, `/documents/${draft.id}`);
  const bens = await open(ben, "/inbox");

  await test.step("the author adds a note and asks for read receipts", async () => {
    await annas.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = annas.getByRole("dialog", { name: "Send this document" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill(ben.name);
    await annas.getByRole("option", { name: ben.displayName }).click();
    await dialog.getByRole("button", { name: /^Note and read receipts/ }).click();
    await dialog.getByRole("textbox", { name: "Note" }).fill(NOTE);
    await dialog.getByRole("checkbox", { name: /^Tell me when recipients open it/ }).click();
    await expectAccessible(annas, BOTH);
    await annas.keyboard.press("Control+Enter");
    await expect(annas.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
    await expect(annas.getByText(`${ben.displayName}, not yet`)).toBeVisible();
  });

  await test.step("the recipient knows before opening it, reads the note, and replies", async () => {
    await expect(bens.getByText("The sender asked to be told when you open it.")).toBeAttached();
    await bens.getByRole("link", { name: "Unread: berths.txt" }).click();
    const cover = bens.getByRole("region", { name: "From the sender" });
    await expect(cover).toContainText(NOTE);
    await expect(cover).toContainText(`${anna.displayName} asked to be told when you open this document.`);
    await expectAccessible(bens, BOTH);
    await bens.getByRole("button", { name: "Reply" }).click();
    await expect(bens.getByRole("heading", { name: "Re: berths.txt" })).toBeVisible();
    await expect(bens.getByText(`Reply to ${anna.displayName} at alpha, answers berths.txt`)).toBeVisible();
    await bens.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = bens.getByRole("dialog", { name: "Send this document" });
    await expect(dialog).toContainText("In reply to “berths.txt”");
    // The reply names her from the start; she can be sent to once her gateway has listed her.
    await expect(dialog.getByRole("toolbar")).toContainText("Cleared");
    await expectAccessible(bens);
    await bens.keyboard.press("Control+Enter");
    await expect(bens.getByRole("heading", { name: "Delivered to alpha. Receipt checked." })).toBeVisible();
    await expect(bens.getByRole("link", { name: "berths.txt", exact: true })).toBeVisible();
  });

  await test.step("the author sees who opened it, and on a phone what the reply answers", async () => {
    // Replies are links, and name him, too.
    const opened = annas.getByRole("listitem").filter({ hasText: ben.displayName, hasNot: annas.getByRole("link") });
    await expect(opened.getByRole("time")).toBeVisible();
    await expect(opened).not.toContainText("not yet");
    await annas.setViewportSize(phone.viewport);
    await annas.goto("/inbox");
    await annas.getByRole("link", { name: "Unread: Re: berths.txt" }).click();
    const cover = annas.getByRole("region", { name: "From the sender" });
    await expect(cover).toContainText("In reply to berths.txt");
    await expectNoSidewaysScroll(annas);
    await expectAccessible(annas);
    await cover.getByRole("link", { name: "berths.txt" }).click();
    await expect(annas.getByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeVisible();
    await expect(opened.getByRole("time")).toBeVisible();
    await expect(annas.getByRole("link", { name: "Re: berths.txt" })).toBeVisible();
    await expectNoSidewaysScroll(annas);
    await expectAccessible(annas);
  });

  await test.step("people without the author role see whom to ask, also on a phone", async () => {
    const rosa = await addPerson(pair.bravo, "Rosa", { is_recipient: true });
    await delivered(anna, await send(anna, draft, rosa));
    const rosas = await open(rosa, "/inbox");
    await rosas.getByRole("link", { name: "Unread: berths.txt" }).click();
    await expect(rosas.getByText("Only authors can reply or forward. Ask an admin for the author role.")).toBeVisible();
    for (const name of ["Reply", /^Forward/]) await expect(rosas.getByRole("button", { name })).toHaveCount(0);
    await rosas.setViewportSize(phone.viewport);
    await expectNoSidewaysScroll(rosas);
    await expectAccessible(rosas);
  });

  await test.step("an author forwards it to a colleague, with its marks", async () => {
    const bruno = await addPerson(pair.bravo, "Bruno", { is_recipient: true, cleared: true });
    await bens.goto("/inbox");
    await bens.getByRole("link", { name: "berths.txt", exact: true }).click();
    await bens.getByRole("button", { name: "Forward" }).click();
    await expect(bens.locator("mark")).toHaveText("Pier nine opens at dawn.");
    await bens.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = bens.getByRole("dialog", { name: "Send this document" });
    await dialog.getByRole("combobox", { name: "Recipients" }).fill(bruno.name);
    await bens.getByRole("option", { name: bruno.displayName }).click();
    await bens.keyboard.press("Control+Enter");
    await expect(bens.getByRole("heading", { name: /^Delivered to bravo/ })).toBeVisible();
    const { items } = await bruno.api<{ items: { name: string }[] }>("GET", "/inbox");
    expect(items.map(({ name }) => name)).toEqual(["berths.txt"]);
  });
});
