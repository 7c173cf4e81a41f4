import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import type { EntryShown } from "@/api/types";
import { applyEvent } from "@/session/live";
import { type Answer, empty, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import { entryOf, redactedOf } from "./entry.fixture";

const ENTRY = "GET /api/v1/inbox/e1";
const CONTENT = "GET /api/v1/inbox/e1/content";

function gatewayWith(entry: EntryShown, more: Record<string, Answer> = {}) {
  return fakeGateway({
    "GET /api/v1/session": () => json(sessionOf(somebody())),
    "GET /api/v1/inbox": () => json({ items: [entry], next: null }),
    [ENTRY]: () => json(entry),
    [CONTENT]: ({ path }) =>
      new Response(path.endsWith("edition=marked") ? "to <$S>SECRET<$E> or not" : "to <$S><$E> or not"),
    ...more,
  });
}

const editionsAsked = (asked: { path: string }[]) =>
  asked.flatMap(({ path }) => new URLSearchParams(path.split("?")[1]).get("edition") ?? []);

describe("reading", () => {
  test("the cleared read all of it, and may have every edition", async () => {
    const { asked } = gatewayWith(entryOf());
    renderApp("/inbox/e1");
    await screen.findByRole("heading", { level: 1, name: "memo.txt" });
    expect((await screen.findByText("SECRET")).tagName).toBe("MARK");
    expect(editionsAsked(asked)).toEqual(["marked"]);
    const links = ["Whole document", "Redacted", "Marked text"].map((name) => screen.getByRole("link", { name }));
    expect(links.map((link) => link.getAttribute("href"))).toEqual(
      ["full", "redacted", "marked"].map((edition) => `/api/v1/inbox/e1/content?edition=${edition}`),
    );
    // The gateway names each edition.
    for (const link of links) expect(link.getAttribute("download")).toBe("");
  });

  test("a cleared author forwards it; others read why they cannot", async () => {
    const author = somebody({ is_author: true });
    const { asked } = gatewayWith(entryOf(), {
      "GET /api/v1/session": () => json(sessionOf(author)),
      "POST /api/v1/inbox/e1/forward": () => refused(409, "it is not known what is classified in this file"),
    });
    renderApp("/inbox/e1");
    await userEvent.click(await screen.findByRole("button", { name: "Forward" }));
    await screen.findByText(/it is not known what is classified/i);
    expect(asked.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(screen.queryByText("Forwarding")).toBeNull();
  });

  test("an uncleared author forwards its redacted edition", async () => {
    const { asked } = gatewayWith(redactedOf(), {
      "GET /api/v1/session": () => json(sessionOf(somebody({ is_author: true, cleared: false }))),
      "POST /api/v1/inbox/e1/forward": () => refused(409, "this redacted edition does not show what it withholds"),
    });
    renderApp("/inbox/e1");
    await screen.findByText(/Only cleared recipients can forward the whole document/);
    await userEvent.click(screen.getByRole("button", { name: "Forward redacted" }));
    await screen.findByText(/does not show what it withholds/i);
    expect(asked.find(({ method }) => method === "POST")?.path).toContain("edition=redacted");
  });

  test.each([
    [
      "without an edition",
      redactedOf({ editions: [], media_type: "image/png" }),
      true,
      "Only cleared recipients can forward this document.",
    ],
    ["who is no author", entryOf(), false, "Only authors can reply or forward. Ask an admin for the author role."],
  ])("%s cannot forward it, and reads why", async (_, entry, is_author, why) => {
    gatewayWith(entry, { "GET /api/v1/session": () => json(sessionOf(somebody({ is_author }))) });
    renderApp("/inbox/e1");
    await screen.findByText(why);
    expect(screen.queryByRole("button", { name: /^Forward/ })).toBeNull();
  });

  test("the uncleared see bars, and nothing asks for more", async () => {
    const { asked } = gatewayWith(redactedOf());
    renderApp("/inbox/e1");
    await screen.findByRole("img", { name: "withheld" });
    expect(screen.getAllByText(/every bar has the same width, whatever it hides/)).not.toHaveLength(0);
    expect(editionsAsked(asked)).toEqual(["gaps"]);
    expect(document.body.innerHTML).not.toMatch(/edition=(full|marked)/);
    expect(screen.queryByText("Size")).toBeNull();
  });

  const OUTLINE = { pages: null, page_sizes: null, columns: null, rows: null, sheets: null, note: "" };
  const READ = "GET /api/v1/inbox/e1/redacted";
  const FULL = "GET /api/v1/inbox/e1/full";
  const NO_LABEL = { label: "", rule: "", reason: "" };
  const wordUnit = (text: string) => ({
    address: "word/document.xml/p1",
    text,
    kind: "paragraph",
    hidden: "",
    cells: [],
  });

  test("the uncleared look at the redacted edition of a file, and nothing asks for the file", async () => {
    const unit = wordUnit("Ship █████ at noon");
    const style = {
      address: "word/styles.xml/a1",
      text: "Heading",
      kind: "name",
      hidden: "a name of a style",
      cells: [],
    };
    const { asked } = gatewayWith(
      redactedOf({ name: "memo.docx", media_type: "application/x-word", redacted_bytes: 900, read_at: null }),
      {
        [`${READ}/outline`]: () => json({ ...OUTLINE, format: "docx" }),
        [`${READ}/units`]: () => json({ format: "docx", units: [unit, style], next: null }),
      },
    );
    renderApp("/inbox/e1");
    expect((await screen.findByRole("document", { name: "Text: Text" })).textContent).toContain("Ship █████ at");
    expect(screen.queryByRole("button", { name: /Mark/ })).toBeNull();
    expect(screen.getByText(/a name of a style/).closest("details")?.open).toBe(false);
    expect(asked.filter(({ path }) => path.includes("/content"))).toEqual([]);
    // It was opened: the entry is asked for again, which says so.
    await waitFor(() => expect(asked.filter(({ path }) => path === "/api/v1/inbox/e1")).toHaveLength(2));
  });

  const SCAN = { name: "scan.png", media_type: "image/png", redacted_bytes: 900 };
  const COVERED = "Classified areas are covered in black.";
  test.each([
    ["the uncleared read what the black areas of a picture are", redactedOf(SCAN), READ, COVERED],
    [
      "the cleared, who see all of a picture, do not",
      entryOf({ ...SCAN, editions: ["full", "redacted"] }),
      FULL,
      "Nothing in this document is classified.",
    ],
  ])("%s", async (_, entry, from, text) => {
    // What jsdom lacks.
    const Observer = class {
      observe() {}
      disconnect() {}
    };
    vi.stubGlobal("ResizeObserver", Observer);
    gatewayWith(entry, {
      [`${from}/outline`]: () => json({ ...OUTLINE, format: "png", pages: 1, page_sizes: [[600, 300]] }),
      [`${from}/units`]: () => json({ format: "png", units: [], next: null }),
      [`${from}/marks`]: () => json({ basis: "spans", marks: [] }),
    });
    renderApp("/inbox/e1");
    await screen.findByText(text);
    await screen.findByRole("group", { name: "Size of the picture" });
    expect(screen.queryAllByText(COVERED)).toHaveLength(text === COVERED ? 1 : 0);
  });

  test("a redacted edition that cannot be read can be downloaded", async () => {
    gatewayWith(redactedOf({ media_type: "application/pdf", redacted_bytes: 900 }), {
      [`${READ}/outline`]: refused(422, "this file is damaged"),
    });
    renderApp("/inbox/e1");
    await screen.findByText(/this file is damaged/i);
    expect(screen.getByRole("link", { name: "Redacted" }).getAttribute("href")).toContain("edition=redacted");
  });

  test("opening it marks it as read", async () => {
    const { asked } = gatewayWith(entryOf({ read_at: null }));
    renderApp("/inbox/e1");
    await screen.findByText("SECRET");
    await waitFor(() => expect(asked.filter(({ path }) => path === "/api/v1/inbox/e1")).toHaveLength(2));
  });

  test("leaving it takes its text out of memory", async () => {
    const user = userEvent.setup();
    gatewayWith(entryOf());
    const { client } = renderApp("/inbox/e1");
    await screen.findByText("SECRET");
    await user.click(screen.getAllByRole("link", { name: "Inbox" }).at(-1) as HTMLElement);
    await screen.findByRole("list", { name: "Received documents" });
    await waitFor(() => expect(client.getQueryCache().findAll({ queryKey: ["content"] })).toEqual([]));
  });

  test("Markdown is rendered with what is classified in it, and its source is a switch away", async () => {
    const user = userEvent.setup();
    gatewayWith(entryOf({ name: "plan.md", media_type: "text/markdown" }), {
      [CONTENT]: () => new Response("# The plan\n\nShip *<$S>Alba<$E>* &amp; go\n"),
    });
    renderApp("/inbox/e1");
    await screen.findByRole("heading", { level: 2, name: "The plan" });
    expect(screen.getByText("Alba").tagName).toBe("MARK");
    await user.click(screen.getByRole("button", { name: "Source" }));
    expect((await screen.findByRole("article", { name: "plan.md" })).textContent).toContain("# The plan");
  });

  test("a file that no view can show can be downloaded", async () => {
    gatewayWith(entryOf({ name: "scan.png", media_type: "image/png", editions: ["full"] }), {
      [`${FULL}/outline`]: () => json({ ...OUTLINE, format: "bytes" }),
      [`${FULL}/marks`]: () => json({ basis: "spans", marks: [] }),
    });
    renderApp("/inbox/e1");
    await screen.findByText("This file cannot be shown here. You can download it.");
  });

  test.each([
    ["a picture has no download that shows it", "scan.png", ["full", "redacted"], true],
    ["a page has one", "page.html", ["full", "redacted", "highlighted"], false],
    ["a text has one", "plan.txt", ["full", "redacted", "marked"], false],
  ] as const)("%s: what of it is classified", async (_, name, editions, says) => {
    const entry = entryOf({ name, media_type: "image/png", editions: [...editions], classified_bytes: 9 });
    gatewayWith(entry, {
      [`${FULL}/outline`]: () => json({ ...OUTLINE, format: "bytes" }),
      [`${FULL}/marks`]: () => json({ basis: "spans", marks: [] }),
    });
    renderApp("/inbox/e1");
    await screen.findByRole("link", { name: "Whole document" });
    const note = "Files of this format have no download that shows what is classified.";
    expect(screen.queryAllByText(note)).toHaveLength(says ? 1 : 0);
  });

  test("a table can be read as the text of its file", async () => {
    const csv = entryOf({ name: "pay.csv", media_type: "text/csv", redacted_bytes: 9 });
    const { asked } = gatewayWith(csv, {
      [`${FULL}/outline`]: () => json({ ...OUTLINE, format: "csv", columns: ["name"], rows: 1 }),
      [`${FULL}/rows`]: () => json({ rows: [], next: null }),
      [`${FULL}/marks`]: () => json({ basis: "spans", marks: [] }),
    });
    renderApp("/inbox/e1");
    await screen.findByText("Nothing in this document is classified.");
    expect(editionsAsked(asked)).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Text" }));
    expect((await screen.findByText("SECRET")).tagName).toBe("MARK");
    expect(editionsAsked(asked)).toEqual(["marked"]);
  });

  test("cleared readers see all of a Word file, with what is classified in it", async () => {
    const gateway = gatewayWith(
      entryOf({
        name: "memo.docx",
        media_type: "application/x-word",
        redacted_bytes: 900,
        editions: ["full", "redacted"],
      }),
      {
        [`${FULL}/outline`]: () => json({ ...OUTLINE, format: "docx" }),
        [`${FULL}/units`]: () => json({ format: "docx", units: [wordUnit("Ship Alba at noon")], next: null }),
        [`${FULL}/marks`]: () =>
          json({ basis: "edition", marks: [{ ...NO_LABEL, address: "word/document.xml/p1", start: 5, end: 9 }] }),
        [`${READ}/outline`]: () => json({ ...OUTLINE, format: "docx" }),
        [`${READ}/units`]: () => json({ format: "docx", units: [wordUnit("Ship █████ at noon")], next: null }),
      },
    );
    const { client } = renderApp("/inbox/e1");
    expect((await screen.findByText("Alba")).tagName).toBe("MARK");
    screen.getByText("Everything that recipients without clearance do not see is highlighted.");
    expect(screen.queryByRole("button", { name: /Mark/ })).toBeNull();
    const scrolled = vi.fn();
    Element.prototype.scrollIntoView = scrolled;
    const parts = screen.getByRole("group", { name: "Classified parts" });
    expect(parts.textContent).toContain("1 classified");
    await userEvent.click(within(parts).getByRole("button", { name: "Previous classified part" }));
    expect(parts.textContent).toContain("1 of 1 classified");
    expect(scrolled.mock.contexts[0]).toHaveProperty("textContent", "Alba");

    gateway.routes[ENTRY] = () =>
      json(redactedOf({ name: "memo.docx", media_type: "application/x-word", redacted_bytes: 900 }));
    act(() => applyEvent(client, { type: "inbox", data: {} }));
    await screen.findByText("Ship █████ at noon");
    expect(document.body.textContent).not.toContain("Alba");
    await waitFor(() => {
      const kept = client.getQueryCache().findAll({ queryKey: ["content"] });
      expect(kept.filter(({ queryKey }) => queryKey.includes("received"))).toEqual([]);
    });
  });

  test.each([
    ["text/plain", ["full", "redacted", "marked"], 16_000_001, "Only documents of up to 16 MB can be shown here."],
  ] as const)("%s of %j bytes is not shown, but can be downloaded", async (media_type, editions, bytes, says) => {
    const { asked } = gatewayWith(entryOf({ media_type, editions: [...editions], document_bytes: bytes }));
    renderApp("/inbox/e1");
    await screen.findByText(new RegExp(says));
    screen.getByRole("link", { name: "Whole document" });
    expect(editionsAsked(asked)).toEqual([]);
  });

  test("bytes that only call themselves text", async () => {
    gatewayWith(entryOf(), { [CONTENT]: () => new Response(new Uint8Array([0x61, 0xff])) });
    renderApp("/inbox/e1");
    await screen.findByText(/not valid UTF-8 text from line 1, column 2/);
  });
});

describe("what happens meanwhile", () => {
  test("classified text disappears when clearance is removed", async () => {
    const gateway = gatewayWith(entryOf());
    const { client } = renderApp("/inbox/e1");
    await screen.findByText("SECRET");
    gateway.routes[ENTRY] = () => json(redactedOf());
    act(() => applyEvent(client, { type: "inbox", data: {} }));
    await screen.findByText(/Your clearance was removed while you were reading/);
    await screen.findByRole("img", { name: "withheld" });
    expect(document.body.textContent).not.toContain("SECRET");
    await waitFor(() => {
      const kept = client.getQueryCache().findAll({ queryKey: ["content"] });
      expect(kept.map(({ queryKey }) => queryKey.at(-1))).toEqual(["gaps"]);
    });
  });

  test("the document disappears when the role is removed", async () => {
    const gateway = gatewayWith(entryOf());
    const { client } = renderApp("/inbox/e1");
    await screen.findByText("SECRET");
    gateway.routes[ENTRY] = refused(403, "only recipients may do this");
    act(() => applyEvent(client, { type: "inbox", data: {} }));
    await screen.findByRole("heading", { name: "You do not have access" });
    expect(document.body.textContent).not.toContain("SECRET");
  });

  test("it is deleted in another tab", async () => {
    const gateway = gatewayWith(entryOf());
    const { client } = renderApp("/inbox/e1");
    await screen.findByText("SECRET");
    gateway.routes[ENTRY] = refused(404, "there is no such transfer in your inbox");
    act(() => applyEvent(client, { type: "inbox", data: {} }));
    await screen.findByText("“memo.txt” is no longer here");
    screen.getByRole("link", { name: "Back to inbox" });
  });

  test("the document stays when the gateway does not answer, with an error", async () => {
    const gateway = gatewayWith(entryOf());
    const { client } = renderApp("/inbox/e1");
    await screen.findByText("SECRET");
    gateway.routes[ENTRY] = refused(503, "the database is busy");
    act(() => applyEvent(client, { type: "inbox", data: {} }));
    await screen.findByText("Could not check for updates.");
    screen.getByText("SECRET");
  });
});

test("an address of nothing says so", async () => {
  gatewayWith(entryOf(), { [ENTRY]: refused(404, "there is no such transfer in your inbox") });
  renderApp("/inbox/e1");
  await screen.findByText("Document not found");
});

describe("the receipt", () => {
  test("is verified check by check, and a failure is said loudly", async () => {
    const user = userEvent.setup();
    gatewayWith(entryOf(), {
      "GET /api/v1/inbox/e1/verification": json({
        valid: false,
        checks: [
          { name: "signature", ok: true, says: "alpha signed this receipt." },
          { name: "plain_digest", ok: false, says: "The plain part does not match the receipt." },
        ],
        signer: "alpha",
        key: "ab".repeat(32),
      }),
    });
    renderApp("/inbox/e1");
    await user.click(await screen.findByRole("button", { name: "Verify" }));
    expect((await screen.findByRole("alert")).textContent).toMatch(/1 of 2 checks failed. Do not rely on/);
    const checks = within(screen.getByRole("list", { name: "Checks" })).getAllByRole("listitem");
    expect(checks.map(({ textContent }) => textContent)).toEqual([
      "Passed: alpha signed this receipt.",
      "Failed: The plain part does not match the receipt.",
    ]);
  });

  test("is an excerpt for the uncleared", async () => {
    const user = userEvent.setup();
    gatewayWith(redactedOf(), {
      "GET /api/v1/inbox/e1/receipt": json({
        transfer_id: "t1",
        plain_digest: "cd".repeat(32),
        received_at: "2026-11-20T10:00:00Z",
      }),
    });
    renderApp("/inbox/e1");
    await user.click(await screen.findByText("Show receipt"));
    await screen.findByText("t1");
    screen.getByRole("link", { name: "Download excerpt" });
  });
});

describe("a stored file that was changed on the gateway's disk", () => {
  const CHANGED = "this gateway's stored file of the document was changed on its disk";
  const damaged = { [CONTENT]: refused(500, CHANGED) };
  const says = /stored file of the document was changed on its disk/;

  test("is shown in place of the document", async () => {
    gatewayWith(entryOf(), damaged);
    renderApp("/inbox/e1");
    await screen.findByText(says);
  });

  test("is shown in place of a download", async () => {
    const user = userEvent.setup();
    gatewayWith(entryOf({ name: "scan.png", media_type: "image/png", editions: ["full"] }), damaged);
    renderApp("/inbox/e1");
    await user.click(await screen.findByRole("link", { name: "Whole document" }));
    await screen.findByText("Could not download the document.");
    await screen.findByText(says);
  });

  test("says what it can if the answer is cut", async () => {
    const cut = new ReadableStream({
      start: (body) => body.error(new TypeError("network error")),
    });
    gatewayWith(entryOf(), { [CONTENT]: () => new Response(cut) });
    renderApp("/inbox/e1");
    await screen.findByText(/response was incomplete/);
  });

  test("is not there otherwise: the browser saves the file", async () => {
    const user = userEvent.setup();
    const { asked } = gatewayWith(entryOf({ name: "scan.png", media_type: "image/png", editions: ["full"] }));
    renderApp("/inbox/e1");
    const saved: string[] = [];
    const note = (event: Event) => {
      if (!event.defaultPrevented) saved.push((event.target as HTMLElement).closest("a")?.pathname ?? "");
      event.preventDefault();
    };
    document.addEventListener("click", note);
    await user.click(await screen.findByRole("link", { name: "Whole document" }));
    await waitFor(() => expect(saved).toEqual(["/api/v1/inbox/e1/content"]));
    document.removeEventListener("click", note);
    expect(editionsAsked(asked)).toEqual(["full"]);
  });
});

describe("deleting", () => {
  const remove = async (user: UserEvent) => {
    await user.click(await screen.findByRole("button", { name: "More" }));
    await user.click(await screen.findByRole("menuitem", { name: "Delete" }));
  };

  test("returns to the inbox, and can be undone", async () => {
    const user = userEvent.setup();
    const gateway = gatewayWith(entryOf(), {
      "DELETE /api/v1/inbox/e1": empty(),
      "POST /api/v1/inbox/changes": json({ ids: ["e1"] }),
    });
    renderApp("/inbox/e1");
    await screen.findByRole("button", { name: "More" });
    gateway.routes["GET /api/v1/inbox"] = json({ items: [], next: null });
    await remove(user);
    await screen.findByRole("heading", { name: "No documents yet" });
    gateway.routes["GET /api/v1/inbox"] = json({ items: [entryOf()], next: null });
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await screen.findByRole("link", { name: "memo.txt" });
    const [restored] = gateway.asked.filter(({ path }) => path === "/api/v1/inbox/changes");
    expect(JSON.parse(restored?.body ?? "")).toEqual({ ids: ["e1"], change: "restore" });
  });

  test("leaves a person who has moved to another page there", async () => {
    const user = userEvent.setup();
    let answer = (_: Response) => {};
    const deleted = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    gatewayWith(entryOf(), {
      "DELETE /api/v1/inbox/e1": () => deleted,
      "GET /api/v1/drafts": json({ items: [], next: null }),
    });
    renderApp("/inbox/e1");
    await remove(user);
    await user.click(screen.getAllByRole("link", { name: "Documents" })[0] as HTMLElement);
    await screen.findByRole("heading", { name: "Documents" });
    answer(empty());
    await screen.findByText("Deleted");
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    expect(window.location.pathname).toBe("/documents");
  });

  test("requests nothing of the entry any more, even if an event arrives before the answer", async () => {
    const user = userEvent.setup();
    let answer = (_: Response) => {};
    const deleted = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const { asked } = gatewayWith(redactedOf(), {
      "DELETE /api/v1/inbox/e1": () => deleted,
      "GET /api/v1/inbox/e1/receipt": json({
        transfer_id: "t1",
        plain_digest: "cd".repeat(32),
        received_at: "2026-11-20T10:00:00Z",
      }),
    });
    const { client } = renderApp("/inbox/e1");
    await user.click(await screen.findByText("Show receipt"));
    await screen.findByText("t1");
    await remove(user);
    act(() => applyEvent(client, { type: "inbox", data: {} }));
    answer(empty());
    await screen.findByText("Deleted");
    await screen.findByRole("list", { name: "Received documents" });
    const from = asked.findIndex(({ method }) => method === "DELETE");
    expect(asked.slice(from + 1).filter(({ path }) => path.startsWith("/api/v1/inbox/e1"))).toEqual([]);
  });

  test("that is refused shows the reason, and keeps the document", async () => {
    const user = userEvent.setup();
    gatewayWith(entryOf(), { "DELETE /api/v1/inbox/e1": refused(503, "the database is busy") });
    renderApp("/inbox/e1");
    await remove(user);
    await screen.findByText("The database is busy.");
    screen.getByText("SECRET");
  });
});
