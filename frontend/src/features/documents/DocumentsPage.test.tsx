import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { DraftShown } from "@/api/types";
import { draftOf } from "@/test/drafts";
import { type Answer, empty, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

// What opens after a new document is another page's business.
vi.mock("@/features/text/TextPage", () => ({ TextPage: () => <h1>The editor</h1> }));

function draft(id: string, change: Partial<DraftShown> = {}): DraftShown {
  return draftOf({ id, document_id: `${id}-save`, revision: 1, name: `${id}.txt`, ...change });
}

function sent(state: string, change: Partial<NonNullable<DraftShown["last_transfer"]>> = {}) {
  const created_at = "2026-11-21T10:00:00Z";
  return {
    id: "t",
    peer: "bravo",
    state,
    revision: 1,
    created_at,
    delivered_at: null,
    reason: null,
    said: null,
    ...change,
  };
}

function gateway(drafts: DraftShown[], more: Record<string, Answer> = {}) {
  return fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody())),
    "GET /api/v1/gateway": json({ name: "alpha", max_document_bytes: 1_000_000 }),
    "GET /api/v1/drafts": json({ items: drafts, next: null }),
    "GET /api/v1/drafts/counts": json({ drafts: drafts.length, bytes: 1000 * drafts.length }),
    "GET /api/v1/drafts/tags": json({ tags: [] }),
    ...more,
  });
}

const row = async (name: string) => {
  const link = await screen.findByRole("link", { name });
  const found = link.closest("li");
  if (!found) throw new Error(`${name} is in no row`);
  return within(found);
};

it("shows the state of each document and how much is classified", async () => {
  gateway([
    draft("new"),
    draft("there", { revision: 2, last_transfer: sent("delivered", { delivered_at: "2026-11-21T10:00:05Z" }) }),
    draft("moving", { last_transfer: sent("sending") }),
    draft("lost", { last_transfer: sent("failed", { reason: "the deadline has passed" }) }),
    draft("secret", { classified_bytes: 1000, plain_bytes: 0 }),
  ]);
  renderApp("/documents");
  expect((await row("new.txt")).getByText("Never sent")).toBeTruthy();
  expect((await row("new.txt")).getByText("25 % classified")).toBeTruthy();
  expect((await row("there.txt")).getByText(/Delivered to bravo/)).toBeTruthy();
  expect((await row("there.txt")).getByText("Changed since last sent")).toBeTruthy();
  expect((await row("moving.txt")).getByText("Sending to bravo")).toBeTruthy();
  expect((await row("lost.txt")).getByText("Failed to send to bravo: the deadline has passed")).toBeTruthy();
  expect((await row("secret.txt")).getByText("All classified")).toBeTruthy();
  expect((await row("new.txt")).getByRole("link").getAttribute("href")).toBe("/documents/new");
});

it("teaches the first steps where there is nothing, and begins a document", async () => {
  const user = userEvent.setup();
  const { asked } = gateway([], { "POST /api/v1/drafts": json(draft("d1"), 201) });
  renderApp("/documents");
  await screen.findByRole("heading", { name: "No documents yet. Get started in three steps" });
  await user.click(screen.getByRole("button", { name: "New document" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New document" }));
  await user.click(dialog.getByRole("button", { name: "Create" }));
  expect(dialog.getByText("Enter a name.")).toBeTruthy();
  await user.type(dialog.getByRole("textbox", { name: "Name" }), "Plan 3{Enter}");
  await screen.findByRole("heading", { name: "The editor" });
  const made = asked.find(({ method }) => method === "POST");
  expect(made?.path).toBe("/api/v1/drafts?form=literal&name=Plan%203.txt&media_type=text%2Fplain");
  expect(made?.body).toBe("");
});

it("shows the buttons once their position is known, so that they do not move", async () => {
  let answer = (_: Response) => {};
  const listed = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  gateway([], { "GET /api/v1/drafts": async () => (await listed).clone() });
  renderApp("/documents");
  await screen.findByRole("heading", { name: "Documents" });
  expect(screen.queryByRole("button", { name: "New document" })).toBeNull();
  answer(json({ items: [], next: null }));
  await screen.findByRole("heading", { name: "No documents yet. Get started in three steps" });
  expect(screen.getAllByRole("button", { name: "New document" })).toHaveLength(1);
});

it("searches when typing pauses, keeps the search in the address, and says when there are no results", async () => {
  // Without a pause, however busy the machine is.
  const user = userEvent.setup({ delay: null });
  const { asked } = gateway([], {
    "GET /api/v1/drafts": ({ path }) => json({ items: path.includes("search=") ? [] : [draft("one")], next: null }),
  });
  renderApp("/documents");
  await screen.findByRole("link", { name: "one.txt" });
  await user.type(screen.getByRole("textbox", { name: "Search by name" }), "2026");
  await screen.findByText("No documents match “2026”");
  expect(window.location.search).toContain("2026");
  expect(asked.filter(({ path }) => path.startsWith("/api/v1/drafts?") && path.includes("search="))).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: "Show all" }));
  await screen.findByRole("link", { name: "one.txt" });
});

it("deletes with undo, and shows why the gateway would not", async () => {
  const user = userEvent.setup();
  const { routes, asked } = gateway([draft("one")], {
    "DELETE /api/v1/drafts/one": refused(409, "a transfer of this draft is not over; wait for it or cancel it"),
    "POST /api/v1/drafts/one/restore": json(draft("one")),
  });
  renderApp("/documents");
  const remove = async () => {
    await user.click(await screen.findByRole("button", { name: "Actions for one.txt" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
  };
  await remove();
  await screen.findByText("“one.txt” was not deleted.");
  await screen.findByText("A transfer of this draft is not over; wait for it or cancel it.");
  routes["DELETE /api/v1/drafts/one"] = () => {
    routes["GET /api/v1/drafts"] = json({ items: [], next: null });
    return empty();
  };
  await remove();
  await screen.findByRole("heading", { name: "No documents yet. Get started in three steps" });
  routes["GET /api/v1/drafts"] = json({ items: [draft("one")], next: null });
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await screen.findByRole("link", { name: "one.txt" });
  expect(asked.some(({ method, path }) => method === "POST" && path === "/api/v1/drafts/one/restore")).toBe(true);
});

it("lists deleted documents, restores one, and asks before it deletes another forever", async () => {
  const user = userEvent.setup();
  const deleted_at = "2026-11-21T10:00:00Z";
  const { asked } = gateway([draft("one", { deleted_at }), draft("two", { deleted_at })], {
    "POST /api/v1/drafts/changes": json({ ids: ["one"], under_way: 0 }),
  });
  renderApp("/documents?view=deleted");
  const act = async (action: string, name: string) => {
    await user.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
    await user.click(await screen.findByRole("menuitem", { name: action }));
  };
  await screen.findByRole("list", { name: "Deleted documents" });
  expect(screen.queryByRole("link", { name: "one.txt" })).toBeNull();
  await act("Restore", "one.txt");
  await screen.findByText("1 document restored");
  await act("Delete forever", "two.txt");
  const dialog = within(await screen.findByRole("alertdialog", { name: "Delete this document forever?" }));
  await user.click(dialog.getByRole("button", { name: "Delete forever" }));
  await screen.findByText("1 document deleted forever");
  const bodies = asked.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body as string));
  expect(bodies).toEqual([
    { ids: ["one"], change: "restore" },
    { ids: ["two"], change: "delete forever" },
  ]);
  expect(asked.some(({ path }) => path.startsWith("/api/v1/drafts?") && path.includes("deleted=true"))).toBe(true);
});

it("restores several deleted documents at once, and says until when each is kept", async () => {
  const user = userEvent.setup();
  const deleted = (id: string, deleted_at: string) => draft(id, { deleted_at });
  const { asked } = gateway([deleted("one", "2026-11-21T12:00:00Z"), deleted("two", "2026-10-20T12:00:00Z")], {
    "GET /api/v1/gateway": json({ name: "alpha", deleted_days: 400 }),
    "GET /api/v1/drafts/ids": json({ ids: ["one", "two", "three"] }),
    "GET /api/v1/drafts/counts": json({ drafts: 3, bytes: 3000 }),
    "POST /api/v1/drafts/changes": json({ ids: ["one", "two", "three"], under_way: 0 }),
  });
  renderApp("/documents?view=deleted");
  const list = within(await screen.findByRole("list", { name: "Deleted documents" }));
  const kept = await list.findAllByText(/^Kept until/);
  const until = (cell: HTMLElement) => cell.querySelector("time")?.dateTime;
  expect(kept.map(until)).toEqual(["2027-12-26T12:00:00.000Z", "2027-11-24T12:00:00.000Z"]);
  await user.click(screen.getByRole("checkbox", { name: "Select all" }));
  await user.click(await screen.findByRole("button", { name: "Choose all 3" }));
  await screen.findByText("3 documents selected");
  await user.click(screen.getByRole("button", { name: "Restore" }));
  await screen.findByText("3 documents restored");
  const bodies = asked.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body as string));
  expect(bodies).toEqual([{ ids: ["one", "two", "three"], change: "restore" }]);
});

it("a late answer closes no dialog that was opened next, and undoes no choice made meanwhile", async () => {
  const user = userEvent.setup();
  const late = { delete: (_: Response) => {} };
  const { routes } = gateway([draft("one"), draft("two"), draft("three")], {
    "DELETE /api/v1/drafts/one": () => new Promise<Response>((resolve) => Object.assign(late, { delete: resolve })),
  });
  renderApp("/documents");
  const ask = async (action: string, name: string) => {
    await user.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
    await user.click(await screen.findByRole("menuitem", { name: action }));
  };
  await ask("Delete", "one.txt");
  await user.click(await screen.findByRole("checkbox", { name: "Select three.txt" }));
  await ask("Rename", "two.txt");
  const naming = await screen.findByRole("dialog", { name: "Rename document" });
  const field = within(naming).getByRole("textbox", { name: "Name" });
  await waitFor(() => expect(document.activeElement).toBe(field));
  routes["GET /api/v1/drafts"] = json({ items: [draft("two"), draft("three")], next: null });
  late.delete(empty());
  await waitFor(() => expect(screen.queryByRole("link", { name: "one.txt", hidden: true })).toBeNull());
  expect(screen.getByRole("dialog")).toBe(naming);
  expect(document.activeElement).toBe(field);
  await user.keyboard("{Escape}");
  await waitFor(() =>
    expect(screen.getByRole("checkbox", { name: "Select three.txt" }).getAttribute("aria-checked")).toBe("true"),
  );
});

it("renames the new revision after somebody else has saved", async () => {
  const user = userEvent.setup();
  const matched: (string | null)[] = [];
  const { routes } = gateway([draft("one")], {
    "PATCH /api/v1/drafts/one": ({ headers }) => {
      matched.push(headers.get("If-Match"));
      return matched.length === 1
        ? refused(412, "it was saved meanwhile", { revision: 2 })
        : json(draft("one", { revision: 3, name: "two" }));
    },
  });
  renderApp("/documents");
  await user.click(await screen.findByRole("button", { name: "Actions for one.txt" }));
  await user.click(await screen.findByRole("menuitem", { name: "Rename" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Rename document" }));
  const field = dialog.getByRole("textbox", { name: "Name" });
  await user.clear(field);
  routes["GET /api/v1/drafts"] = json({ items: [draft("one", { revision: 2 })], next: null });
  await user.type(field, "two{Enter}");
  await dialog.findByText("It was saved meanwhile.");
  await user.click(dialog.getByRole("button", { name: "Rename" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(matched).toEqual(['"1"', '"2"']);
});

const CHOSEN = { name: "Selected documents" };

it("chooses several: by a box, with Shift all between, by the keyboard, all, and none", async () => {
  const user = userEvent.setup();
  gateway(["a", "b", "c", "d", "e"].map((id) => draft(id)));
  renderApp("/documents");
  const box = (name: string) => screen.getByRole("checkbox", { name: `Select ${name}.txt` });
  const chosen = () => screen.getAllByRole("checkbox", { checked: true, name: /^Select .\.txt$/ }).length;
  await user.click(await screen.findByRole("checkbox", { name: "Select b.txt" }));
  const bar = within(screen.getByRole("region", CHOSEN));
  expect(bar.getByRole("checkbox", { name: "1 document selected" })).toBeTruthy();
  await user.keyboard("{Shift>}");
  await user.click(box("d"));
  await user.keyboard("{/Shift}");
  expect(bar.getByRole("checkbox", { name: "3 documents selected" })).toBeTruthy();
  expect(box("c").getAttribute("aria-checked")).toBe("true");
  box("d").focus();
  await user.keyboard("{Shift>}{ArrowDown}{/Shift}");
  expect(document.activeElement).toBe(box("e"));
  expect(chosen()).toBe(4);
  await user.keyboard("{ArrowUp}{ArrowUp} ");
  expect(document.activeElement).toBe(box("c"));
  expect(chosen()).toBe(3);
  await user.keyboard("{Control>}a{/Control}");
  expect(chosen()).toBe(5);
  await user.keyboard("{Escape}");
  expect(screen.queryAllByRole("checkbox", { checked: true })).toEqual([]);
  expect(bar.queryByRole("button", { name: /^Send/ })).toBeNull();
});

it("keeps the selection during a search, and sends all selected documents", async () => {
  const user = userEvent.setup();
  gateway([], {
    "GET /api/v1/drafts": ({ path }) =>
      json({ items: path.includes("search=") ? [draft("plan")] : [draft("one"), draft("two")], next: null }),
    "GET /api/v1/peers": json([]),
  });
  renderApp("/documents");
  await user.click(await screen.findByRole("checkbox", { name: "Select two.txt" }));
  await user.type(screen.getByRole("textbox", { name: "Search by name" }), "plan");
  await user.click(await screen.findByRole("checkbox", { name: "Select plan.txt" }));
  const bar = within(screen.getByRole("region", CHOSEN));
  expect(bar.getByText("1 not shown here")).toBeTruthy();
  await user.click(bar.getByRole("button", { name: "Send 2" }));
  await screen.findByRole("dialog", { name: "Send 2 documents" });
});

it("acts on all that match, not only those that are loaded, and undoes a deletion", async () => {
  const user = userEvent.setup();
  const ids = Array.from({ length: 312 }, (_, at) => `d${at}`);
  const bodies: { ids: string[]; change: string; tag?: string }[] = [];
  const { routes } = gateway([draft("d0"), draft("d1")], {
    "GET /api/v1/drafts": json({ items: [draft("d0"), draft("d1", { tags: ["Budget"] })], next: "p2" }),
    "GET /api/v1/drafts/counts": json({ drafts: 312, bytes: 1_200_000_000 }),
    "GET /api/v1/drafts/tags": json({ tags: [{ name: "Budget", items: 1 }] }),
    "GET /api/v1/drafts/ids": json({ ids }),
    "POST /api/v1/drafts/changes": ({ body }) => {
      const asked = JSON.parse(String(body));
      bodies.push(asked);
      return json({ ids: asked.change === "delete" ? asked.ids.slice(1) : asked.ids, under_way: 1 });
    },
  });
  renderApp("/documents?sort=name");
  await screen.findByText(/^312 documents, 1.2 GB\./);
  await user.click(screen.getByRole("checkbox", { name: "Select all" }));
  const bar = within(screen.getByRole("region", CHOSEN));
  await user.click(bar.getByRole("button", { name: "Choose all 312" }));
  await bar.findByRole("checkbox", { name: "312 documents selected" });
  expect((bar.getByRole("button", { name: "Send 312" }) as HTMLButtonElement).disabled).toBe(true);
  await user.click(bar.getByRole("button", { name: "Tags" }));
  await user.click(await screen.findByRole("menuitem", { name: "Budget" }));
  await waitFor(() => expect(bodies.at(-1)).toEqual({ ids, change: "tag", tag: "Budget" }));
  routes["GET /api/v1/drafts"] = json({ items: [draft("d0")], next: null });
  await user.click(bar.getByRole("button", { name: "Delete" }));
  await screen.findByText("311 documents deleted");
  await screen.findByText("1 document is being sent. Wait for it, or cancel the transfer.");
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => expect(bodies.at(-1)).toEqual({ ids: ids.slice(1), change: "restore" }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Documents" })));
});

it("duplicates a document, and starts one from a template", async () => {
  const user = userEvent.setup();
  const { asked } = gateway([draft("plan", { is_template: true })], {
    "POST /api/v1/drafts/plan/copy": json(draft("copy"), 201),
    "GET /api/v1/drafts/copy": json(draft("copy")),
  });
  renderApp("/documents");
  const copied = () => asked.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(String(body)));
  await user.click(await screen.findByRole("button", { name: "Actions for plan.txt" }));
  await user.click(await screen.findByRole("menuitem", { name: "Duplicate" }));
  await screen.findByText("Duplicated");
  await user.click(screen.getByRole("button", { name: "New from template" }));
  await user.click(await screen.findByRole("menuitem", { name: "plan.txt" }));
  const dialog = within(await screen.findByRole("dialog", { name: "New from template" }));
  const field = dialog.getByRole("textbox", { name: "Name" });
  await user.clear(field);
  await user.type(field, "Plan 4{Enter}");
  await screen.findByRole("heading", { name: "The editor" });
  expect(copied()).toEqual([{ name: "Copy of plan.txt" }, { name: "Plan 4" }]);
});
