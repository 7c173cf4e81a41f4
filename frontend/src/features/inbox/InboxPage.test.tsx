import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { EntryShown } from "@/api/types";
import { applyEvent } from "@/session/live";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import { entryOf, redactedOf } from "./entry.fixture";

function inbox(entries: EntryShown[], person = somebody(), next: string | null = null) {
  return fakeGateway({
    "GET /api/v1/session": () => json(sessionOf(person)),
    "GET /api/v1/inbox": ({ path }) =>
      path.includes("after=")
        ? json({ items: [entryOf({ id: "old", name: "old.txt" })], next: null })
        : json({ items: entries, next }),
    "GET /api/v1/inbox/counts": json({ entries: 312, unread: 14 }),
  });
}

describe("the list", () => {
  test("shows sender, time, size and classified share of each document", async () => {
    inbox([entryOf({ kept_until: "2099-01-02T00:00:00Z" })]);
    renderApp("/inbox");
    const row = within(await screen.findByRole("listitem"));
    expect(row.getByRole("link", { name: "memo.txt" }).getAttribute("href")).toBe("/inbox/e1");
    row.getByText("From anna at bravo");
    row.getByText("100 bytes");
    row.getByText("25 % classified");
    row.getByTitle("25 % classified (25 bytes)");
    row.getByText("2 Jan 2099");
    await screen.findByText("312 documents, 14 unread");
  });

  test("shows only the size of the plain part to readers without clearance", async () => {
    inbox([redactedOf()], somebody({ cleared: false }));
    renderApp("/inbox");
    const row = within(await screen.findByRole("listitem"));
    row.getByText("75 bytes");
    row.getByText("Redacted for you");
    expect(row.queryByText(/classified/)).toBeNull();
  });

  test("shows the size of a file’s redacted edition, not of its empty plain part", async () => {
    inbox([redactedOf({ plain_bytes: 0, redacted_bytes: 60 })], somebody({ cleared: false }));
    renderApp("/inbox");
    within(await screen.findByRole("listitem")).getByText("60 bytes");
  });

  test("marks unread documents, counts them everywhere, and tells of new ones", async () => {
    const gateway = inbox([entryOf()]);
    const { client } = renderApp("/inbox");
    await screen.findByRole("link", { name: "memo.txt" });
    const arrived = entryOf({ id: "e2", name: "new.txt", received_at: "2026-11-20T12:00:00Z", read_at: null });
    gateway.routes["GET /api/v1/inbox"] = () => json({ items: [arrived, entryOf()], next: null });
    act(() => applyEvent(client, { type: "inbox", data: {} }));
    await screen.findByRole("link", { name: "Unread: new.txt" });
    const told = within((await screen.findByText("New document from anna")).closest("[role=group]") as HTMLElement);
    told.getByText("new.txt");
    expect(screen.getAllByRole("link", { name: "Inbox, 14 unread" }).length).toBeGreaterThan(0);
    await waitFor(() => expect(document.title).toBe("(14) Inbox · alpha"));
  });

  test("is searched, filtered and sorted by the gateway, from the address", async () => {
    const user = userEvent.setup();
    const gateway = inbox([entryOf()]);
    renderApp("/inbox?search=BRUNO&sort=size&view=unread");
    await screen.findByRole("link", { name: "memo.txt" });
    const lists = () => gateway.asked.filter(({ path }) => path.startsWith("/api/v1/inbox?limit=50"));
    expect(lists()[0]?.path).toMatch(/search=BRUNO&unread=true&sort=size$/);
    gateway.routes["GET /api/v1/inbox"] = json({ items: [], next: null });
    await user.click(screen.getByRole("button", { name: "Deleted" }));
    await screen.findByText("No documents match “BRUNO”");
    expect(lists().at(-1)?.path).toMatch(/search=BRUNO&deleted=true$/);
    await user.click(screen.getByRole("button", { name: "Show all" }));
    await waitFor(() => expect(window.location.search).toBe(""));
  });

  test("takes all that match, not only those that are loaded, and undoes their deletion", async () => {
    const user = userEvent.setup();
    const ids = Array.from({ length: 312 }, (_, index) => `e${index}`);
    const gateway = inbox([entryOf(), entryOf({ id: "e2", name: "other.txt" })], somebody(), "1-0");
    gateway.routes["GET /api/v1/inbox/ids"] = json({ ids });
    gateway.routes["POST /api/v1/inbox/changes"] = json({ ids });
    renderApp("/inbox");
    await user.click(await screen.findByRole("checkbox", { name: "Select all" }));
    const bar = within(screen.getByRole("region", { name: "Selected documents" }));
    bar.getByRole("checkbox", { name: "2 documents selected" });
    await user.click(bar.getByRole("button", { name: "Choose all 312" }));
    await bar.findByRole("checkbox", { name: "312 documents selected" });
    await user.click(bar.getByRole("button", { name: "Delete" }));
    await screen.findByText("312 documents deleted");
    bar.getByRole("checkbox", { name: "Select all" });
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await screen.findByText("312 documents restored");
    const changes = gateway.asked.filter(({ path }) => path === "/api/v1/inbox/changes");
    expect(changes.map(({ body }) => JSON.parse(body))).toEqual([
      { ids, change: "delete" },
      { ids, change: "restore" },
    ]);
  });

  test("tags the selected documents, and shows those with a tag", async () => {
    const user = userEvent.setup();
    const gateway = inbox([entryOf({ tags: ["Alps"] })]);
    gateway.routes["GET /api/v1/inbox/tags"] = json({ tags: [{ name: "Alps", items: 1 }] });
    gateway.routes["POST /api/v1/inbox/changes"] = json({ ids: ["e1"] });
    renderApp("/inbox");
    await screen.findByTitle("Alps");
    await user.click(screen.getByRole("checkbox", { name: "Select all" }));
    await user.click(screen.getByRole("button", { name: "Tags" }));
    await user.click(await screen.findByRole("menuitem", { name: "New tag" }));
    const dialog = within(await screen.findByRole("dialog", { name: "New tag" }));
    await user.type(dialog.getByRole("textbox", { name: "Tag" }), "Budget{Enter}");
    await screen.findByText("1 document tagged Budget");
    const [changed] = gateway.asked.filter(({ path }) => path === "/api/v1/inbox/changes");
    expect(JSON.parse(changed?.body ?? "")).toEqual({ ids: ["e1"], change: "tag", tag: "Budget" });
    await user.click(screen.getByRole("combobox", { name: "Tag" }));
    await user.click(await screen.findByRole("option", { name: /Alps/ }));
    await waitFor(() => expect(gateway.asked.at(-1)?.path).toContain("tag=Alps"));
    expect(window.location.search).toBe("?tag=Alps");
    // What was selected in the other list is not deleted from this one.
    expect(screen.getByRole("checkbox", { name: "Select all", checked: false })).toBeDefined();
  });

  test("marks one as unread, and asks before it deletes one forever", async () => {
    const user = userEvent.setup();
    const gateway = inbox([entryOf()]);
    gateway.routes["POST /api/v1/inbox/changes"] = json({ ids: ["e1"] });
    const { unmount } = renderApp("/inbox");
    await user.click(await screen.findByRole("button", { name: "Actions for memo.txt" }));
    await user.click(await screen.findByRole("menuitem", { name: "Mark as unread" }));
    await screen.findByText("1 document marked as unread");
    unmount();
    gateway.routes["GET /api/v1/inbox"] = json({
      items: [entryOf({ deleted_at: "2026-11-21T10:00:00Z" })],
      next: null,
    });
    renderApp("/inbox?view=deleted");
    await user.click(await screen.findByRole("button", { name: "Actions for memo.txt" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete forever" }));
    const asks = within(await screen.findByRole("alertdialog", { name: "Delete this document forever?" }));
    await user.click(asks.getByRole("button", { name: "Delete forever" }));
    await screen.findByText("1 document deleted forever");
    const changes = gateway.asked.filter(({ path }) => path === "/api/v1/inbox/changes");
    expect(changes.map(({ body }) => JSON.parse(body).change)).toEqual(["unread", "delete forever"]);
    gateway.routes["POST /api/v1/inbox/changes"] = json({ ids: [], locked: 1 });
    await user.click(await screen.findByRole("button", { name: "Actions for memo.txt" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete forever" }));
    const again = within(await screen.findByRole("alertdialog", { name: "Delete this document forever?" }));
    await user.click(again.getByRole("button", { name: "Delete forever" }));
    await screen.findByText("Nothing deleted");
    await screen.findByText(/^1 document arrived before your account was reset/);
  });

  test("that is empty says what senders need to know", async () => {
    inbox([], somebody({ cleared: false }));
    renderApp("/inbox");
    await screen.findByRole("heading", { name: "No documents yet" });
    screen.getByText(/You are not cleared/);
  });

  test("that cannot be loaded shows the reason and retries", async () => {
    const user = userEvent.setup();
    const gateway = inbox([entryOf()]);
    const works = gateway.routes["GET /api/v1/inbox"];
    gateway.routes["GET /api/v1/inbox"] = refused(500, "the disk is full");
    renderApp("/inbox");
    expect((await screen.findByRole("alert")).textContent).toContain("The disk is full.");
    if (works) gateway.routes["GET /api/v1/inbox"] = works;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByRole("link", { name: "memo.txt" });
  });
});
