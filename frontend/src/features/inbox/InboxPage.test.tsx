import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { EntryShown } from "@/api/types";
import { applyEvent } from "@/app/live";
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
    row.getByText("25 % classified (25 bytes)");
    row.getByText("2 Jan 2099");
    screen.getByText("No unread documents.");
  });

  test("shows only the size of the plain part to readers without clearance", async () => {
    inbox([redactedOf()], somebody({ cleared: false }));
    renderApp("/inbox");
    const row = within(await screen.findByRole("listitem"));
    row.getByText("75 bytes");
    row.getByText("Redacted for you");
    expect(row.queryByText(/classified/)).toBeNull();
  });

  test("marks unread documents, and announces new ones", async () => {
    const gateway = inbox([entryOf()]);
    const { client } = renderApp("/inbox");
    await screen.findByRole("link", { name: "memo.txt" });
    const arrived = entryOf({ id: "e2", name: "new.txt", received_at: "2026-11-20T12:00:00Z", read_at: null });
    gateway.routes["GET /api/v1/inbox"] = () => json({ items: [arrived, entryOf()], next: null });
    act(() => applyEvent(client, { type: "inbox", data: {} }));
    await screen.findByRole("link", { name: "Unread: new.txt" });
    screen.getByText("1 unread.");
    await screen.findByText("New: new.txt, from anna");
  });

  test("is searched as far as it is loaded, by the address, and older pages on demand", async () => {
    const user = userEvent.setup();
    inbox([entryOf(), entryOf({ id: "e2", name: "other.txt", sender: "Bruno" })], somebody(), "1-0");
    renderApp("/inbox?search=BRUNO");
    await screen.findByRole("link", { name: "other.txt" });
    expect(screen.queryByRole("link", { name: "memo.txt" })).toBeNull();
    await user.clear(screen.getByRole("textbox"));
    await user.type(screen.getByRole("textbox"), "old{Enter}");
    await screen.findByText("No documents match “old”");
    await user.click(screen.getByRole("button", { name: "Search older documents" }));
    await screen.findByRole("link", { name: "old.txt" });
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
