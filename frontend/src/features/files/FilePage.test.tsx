import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Format, Mark, Unit } from "@/api/files";
import type { DocumentChecked } from "@/api/findings";
import type { DraftShown } from "@/api/types";
import { draftOf } from "@/test/drafts";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

const ID = "d1";
const draft = (change: Partial<DraftShown> = {}) =>
  draftOf({
    name: "report.docx",
    media_type: "application/octet-stream",
    format: "docx",
    marks: 0,
    classified_bytes: 0,
    plain_bytes: 1000,
    ...change,
  });
const mark = (address: string, change: Partial<Mark> = {}): Mark => ({
  address,
  start: null,
  end: null,
  label: "",
  rule: "",
  reason: "",
  ...change,
});
const marks = (all: readonly Mark[], revision = 3) =>
  json({ revision, marks: all, classified_bytes: 0, plain_bytes: 1000 });
const CLEAN: DocumentChecked = {
  revision: 3,
  count: 0,
  kinds: {},
  digest: "",
  suggestions: [],
  findings: [],
  more: false,
  rule: "confirm",
};
const UNITS: Unit[] = [
  { address: "word/document.xml/p1", text: "Ship 𝄞 leaves at noon", kind: "paragraph", hidden: "", cells: [] },
  { address: "word/document.xml/p1/deleted", text: "at once", kind: "deleted text", hidden: "deleted text", cells: [] },
  { address: "word/comments.xml/p1", text: "Who says so?", kind: "comment", hidden: "a comment", cells: [] },
  { address: "word/media/image1.png", text: "", kind: "picture", hidden: "", cells: [] },
];

function open(routes: Record<string, Answer>, format: Format = "docx", units = UNITS) {
  const gateway = fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody())),
    [`GET /api/v1/drafts/${ID}`]: json(draft({ format })),
    [`GET /api/v1/drafts/${ID}/marks`]: marks([]),
    [`GET /api/v1/drafts/${ID}/outline`]: json({
      format,
      pages: null,
      page_sizes: null,
      columns: null,
      rows: null,
      sheets: null,
    }),
    [`GET /api/v1/drafts/${ID}/units`]: json({ format, units, next: null }),
    [`POST /api/v1/drafts/${ID}/check`]: json(CLEAN),
    ...routes,
  });
  renderApp(`/documents/${ID}`);
  return gateway;
}

/** jsdom has no layout, which the cursor in the text is drawn by. */
beforeEach(() => {
  // jsdom has no layout.
  Element.prototype.scrollIntoView = () => {};
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
});

const saves = (asked: { method: string; headers: Headers; body: string }[]) =>
  asked
    .filter(({ method }) => method === "PUT")
    .map(({ headers, body }) => [headers.get("If-Match"), JSON.parse(body)]);

test("a Word document shows what is in it and what hides, and opening it saves nothing", async () => {
  const { asked } = open({
    [`GET /api/v1/drafts/${ID}/marks`]: marks([mark("word/document.xml/p1", { start: 5, end: 6 })]),
  });
  const text = await screen.findByRole("document", { name: "Text: Text" });
  expect(within(text).getByText("𝄞").tagName).toBe("MARK");
  expect(within(text).getByText("deleted text")).toBeTruthy();
  expect(within(screen.getByRole("region", { name: "Comments" })).getByText("Who says so?")).toBeTruthy();
  expect(screen.getByText("word/media/image1.png (picture)")).toBeTruthy();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("report.docx");
  expect(saves(asked)).toEqual([]);
});

test("the page says what would travel plain before the first mark", async () => {
  const comment = {
    id: "f1",
    kind: "hidden",
    group: "",
    says: "a comment would travel plain",
    travels_plain: true,
    address: "word/comments.xml/p1",
    start: null,
    end: null,
    excerpt: "Who says so?",
  };
  let revision = 3;
  let found: DocumentChecked = { ...CLEAN, count: 1, suggestions: [], findings: [comment] };
  open({
    [`PUT /api/v1/drafts/${ID}/marks`]: () => json(draft({ revision: ++revision, marks: 1 })),
    [`POST /api/v1/drafts/${ID}/check`]: () => json({ ...found, revision }),
  });
  const user = userEvent.setup();
  const panel = async () => {
    await user.click(await screen.findByRole("button", { name: "Classified content" }));
    const dialog = await screen.findByRole("dialog", { name: "Classified content" });
    return within(await within(dialog).findByRole("region", { name: "Findings" }));
  };
  expect(await (await panel()).findByText("1")).toBeTruthy();
  await user.keyboard("{Escape}");
  found = CLEAN;
  await user.click(await screen.findByRole("button", { name: "Mark all of Comments, paragraph 1" }));
  expect(await (await panel()).findByText("No leaks found.")).toBeTruthy();
});

test("authors read what travels classified, by kind", async () => {
  const why = { text: "Parts with a mark", code: "why-marked-parts", parameters: {} };
  const { asked } = open({
    [`GET /api/v1/drafts/${ID}`]: json(draft({ format: "docx", marks: 1, classified_bytes: 400, plain_bytes: 600 })),
    [`GET /api/v1/drafts/${ID}/why-classified`]: json({
      classified: [{ why, bytes: 1234, largest: ["word/header1.xml", "word/media/image1.png"] }],
    }),
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Classified content" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Classified content" }));
  expect(asked.some(({ path }) => path.endsWith("/why-classified"))).toBe(false);
  await user.click(dialog.getByRole("button", { name: "What keeps more from travelling plain" }));
  const [item] = within(dialog.getByRole("list", { name: "What travels classified" })).queryAllByRole("listitem");
  const shown = item ?? (await dialog.findByText(/Parts with a mark/)).closest("li");
  expect(shown?.textContent).toBe("Parts with a markHeader 1, word/media/image1.png1.2 KB");
});

test("a mark is saved on top of the revision that was opened, and can be undone", async () => {
  let revision = 3;
  const { asked } = open({
    [`PUT /api/v1/drafts/${ID}/marks`]: () => {
      revision += 1;
      return json(draft({ revision, marks: 1, classified_bytes: 400, plain_bytes: 600 }));
    },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Mark all of Comments, paragraph 1" }));
  await waitFor(() => expect(saves(asked)).toHaveLength(1));
  expect(saves(asked)[0]).toEqual(['"3"', { marks: [mark("word/comments.xml/p1")] }]);
  await screen.findByText("Saved");
  await user.click(screen.getByRole("button", { name: "Undo" }));
  await waitFor(() => expect(saves(asked)).toHaveLength(2));
  expect(saves(asked)[1]).toEqual(['"4"', { marks: [] }]);
});

test("what is selected is marked by code points, and marks of rules stay as they are", async () => {
  const ruled = mark("word/comments.xml/p1", { rule: "names 1", reason: "a name" });
  const { asked } = open({
    [`GET /api/v1/drafts/${ID}/marks`]: marks([ruled]),
    [`PUT /api/v1/drafts/${ID}/marks`]: json(draft({ revision: 4, marks: 2 })),
  });
  const user = userEvent.setup();
  const text = await screen.findByText("Ship 𝄞 leaves at noon");
  document.getSelection()?.setBaseAndExtent(text.firstChild as Text, 5, text.firstChild as Text, 14);
  await screen.findByText("“𝄞 leaves”");
  await user.click(screen.getByRole("button", { name: "Mark as classified" }));
  await waitFor(() => expect(saves(asked)).toHaveLength(1));
  expect(saves(asked)[0]?.[1]).toEqual({ marks: [ruled, mark("word/document.xml/p1", { start: 5, end: 13 })] });
});

test("marks that were saved elsewhere meanwhile are kept with ours", async () => {
  let theirs = false;
  const other = mark("word/media/image1.png");
  const { asked } = open({
    [`GET /api/v1/drafts/${ID}`]: () => json(draft({ revision: theirs ? 4 : 3 })),
    [`GET /api/v1/drafts/${ID}/marks`]: () => (theirs ? marks([other], 4) : marks([])),
    [`PUT /api/v1/drafts/${ID}/marks`]: ({ headers }) => {
      if (headers.get("If-Match") === '"4"') return json(draft({ revision: 5, marks: 2 }));
      theirs = true;
      return refused(412, "it was saved meanwhile", { revision: 4 });
    },
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Mark all of Comments, paragraph 1" }));
  const dialog = await screen.findByRole("dialog", { name: /^Saved elsewhere at/ });
  await user.click(within(dialog).getByRole("button", { name: "Keep both" }));
  await waitFor(() => expect(saves(asked)).toHaveLength(2));
  expect(saves(asked)[1]).toEqual(['"4"', { marks: [mark("word/comments.xml/p1"), other] }]);
});

test("a mark that the gateway refuses is said with its sentence", async () => {
  open({ [`PUT /api/v1/drafts/${ID}/marks`]: refused(422, "word/comments.xml/p1: this document has no such place") });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Mark all of Comments, paragraph 1" }));
  const said = await screen.findAllByText(/this document has no such place/);
  expect(said.length).toBeGreaterThan(0);
});

test("where neither a mark nor the code for sending gets through, the page stays, with the mark", async () => {
  const away = () => {
    throw new TypeError("Failed to fetch");
  };
  vi.doMock("@/features/transfers/SendDialog", away);
  onTestFinished(() => vi.doUnmock("@/features/transfers/SendDialog"));
  open({ [`PUT /api/v1/drafts/${ID}/marks`]: away, "GET /": away });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Mark all of Comments, paragraph 1" }));
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect(await screen.findByText("Not sent")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Unmark all of Comments, paragraph 1" })).toBeTruthy();
});

test("ranges of bytes are checked before they count", async () => {
  const { asked } = open(
    { [`PUT /api/v1/drafts/${ID}/marks`]: json(draft({ format: "bytes", revision: 4, marks: 1 })) },
    "bytes",
    [],
  );
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText("From byte"), "990");
  await user.type(screen.getByLabelText("To byte (exclusive)"), "2000");
  await user.click(screen.getByRole("button", { name: "Mark these bytes" }));
  expect(await screen.findByText("The file ends before byte 1,000.")).toBeTruthy();
  await user.clear(screen.getByLabelText("To byte (exclusive)"));
  await user.type(screen.getByLabelText("To byte (exclusive)"), "1,000{Enter}");
  await waitFor(() => expect(saves(asked)).toHaveLength(1));
  expect(saves(asked)[0]?.[1]).toEqual({ marks: [mark("bytes/990-1000")] });
  expect(screen.queryByRole("button", { name: "Redacted edition" })).toBeNull();
});

test("text that cannot be loaded is reported at its place, with another try", async () => {
  let tries = 0;
  open({
    [`GET /api/v1/drafts/${ID}/units`]: () => {
      tries += 1;
      return tries === 1
        ? refused(503, "the file takes too long to read")
        : json({ format: "docx", units: UNITS, next: null });
    },
  });
  const user = userEvent.setup();
  expect(await screen.findByText("The file takes too long to read.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Who says so?")).toBeTruthy();
});

test("a banner that stayed high is lowered with a reason", async () => {
  const labelled = (banner: string | null) =>
    json({ revision: 3, labels: null, floor: null, banner, banner_text: banner, compilation_reason: null });
  let tries = 0;
  let answer = (_: Response) => {};
  const first = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  const { asked } = open({
    "GET /api/v1/labels": json({
      name: "uk",
      default: "OFFICIAL",
      labels: [{ name: "SECRET", rank: 2, banner: "SECRET", colour: null }],
    }),
    [`GET /api/v1/drafts/${ID}/labels`]: labelled("SECRET"),
    [`PUT /api/v1/drafts/${ID}/labels`]: () => {
      tries += 1;
      if (tries === 1) return first;
      return tries === 2 ? refused(409, "the banner would be lowered", { kind: "lowering" }) : labelled(null);
    },
  });
  const banner = await screen.findByRole("region", { name: "Banner" });
  expect(banner.textContent).toContain("Kept from before: the labels now require nothing.");
  // Wished twice: what becomes of the first wish is no answer to the second.
  await userEvent.click(within(banner).getByRole("button", { name: "Lower to nothing" }));
  await userEvent.click(within(banner).getByRole("button", { name: "Lower to nothing" }));
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  answer(labelled("SECRET"));
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  const dialog = within(await screen.findByRole("dialog", { name: "Lower the banner?" }));
  await userEvent.type(dialog.getByRole("textbox", { name: "Why it can be lowered" }), "It is known");
  await userEvent.click(dialog.getByRole("button", { name: "Lower" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: "Banner" })).toBe(null));
  const change = { labels: null, banner: null, compilation_reason: null };
  expect(saves(asked)).toEqual([
    ['"3"', { ...change, lowering_reason: null }],
    ['"3"', { ...change, lowering_reason: null }],
    ['"3"', { ...change, lowering_reason: "It is known" }],
  ]);
});

test("by a policy: where more is found than is listed, what follows comes once some of it is marked", async () => {
  const hit = (start: number, end: number) => ({
    ...{ address: "word/document.xml/p1", start, end, text: "noon", rule: "ships/2#1", reason: "", label: "" },
  });
  let answer = (_: Response) => {};
  const late = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  const { asked } = open({
    [`GET /api/v1/drafts/${ID}/marks`]: marks([mark("word/document.xml/p1", { start: 0, end: 4 })]),
    "GET /api/v1/policies": json([
      { name: "ships", title: "Ships", version: 2, rules: 1, guard: false, changed_at: "" },
      { name: "birds", title: "Birds", version: 2, rules: 1, guard: false, changed_at: "" },
    ]),
    [`POST /api/v1/drafts/${ID}/policies/birds/preview`]: () => late,
    [`POST /api/v1/drafts/${ID}/policies/ships/preview`]: json({
      ...{ policy: "ships", version: 2, hits: [hit(0, 4), hit(17, 21), hit(22, 24)], more: true },
      missing: ["The sheet “Pay” has no column called “salary”"],
    }),
  });
  const user = userEvent.setup();
  await screen.findByRole("document", { name: "Text: Text" });
  await user.click(screen.getByRole("button", { name: /polic/i }));
  const panel = within(await screen.findByRole("region", { name: "Mark by a policy" }));
  for (const policy of [/Birds/, /Ships/]) {
    await user.click(await panel.findByRole("combobox", { name: "Policy" }));
    await user.click(await screen.findByRole("option", { name: policy }));
  }
  expect(await panel.findByText("The sheet “Pay” has no column called “salary”")).toBeTruthy();
  // What is rejected stays so when more are listed.
  await user.click(await panel.findByRole("button", { name: "Reject all 2" }));
  await user.click(await panel.findByRole("button", { name: "List more" }));
  const limits = () => asked.flatMap(({ path }) => (path.includes("ships/preview") ? [path.split("limit=")[1]] : []));
  await waitFor(() => expect(limits()).toEqual(["10000", "10001"]));
  expect(await panel.findByText("2 hits, 2 rejected")).toBeTruthy();
  // What was chosen first answers last: it concerns nobody any more.
  answer(json({ policy: "birds", version: 2, hits: [hit(0, 1)], more: false, missing: [] }));
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  expect(panel.getByText("2 hits, 2 rejected")).toBeTruthy();
});

test("a phrase is found by the gateway, and all its places are marked in one step", async () => {
  const hit = (address: string, start: number, end: number, before: string) => ({
    ...{ address, start, end, text: "says", before, after: " so", rule: "find/1#1", reason: "", label: "" },
  });
  const { asked } = open({
    [`PUT /api/v1/drafts/${ID}/marks`]: json(draft({ revision: 4, marks: 2 })),
    [`POST /api/v1/drafts/${ID}/policies/preview`]: json({
      ...{ policy: "find", version: 1, more: false, missing: [] },
      hits: [hit("word/document.xml/p1", 0, 4, ""), hit("word/comments.xml/p1", 4, 8, "Who ")],
    }),
  });
  const user = userEvent.setup();
  await screen.findByRole("document", { name: "Text: Text" });
  await user.click(screen.getByRole("button", { name: "Find" }));
  const panel = within(await screen.findByRole("search", { name: "Find and mark" }));
  await user.keyboard("says");
  await user.click(await panel.findByRole("button", { name: "Mark all 2" }));
  expect(asked.some(({ path }) => path.includes("/policies/preview"))).toBe(true);
  const saved = () => asked.findLast(({ method, path }) => method === "PUT" && path.endsWith("/marks"));
  await waitFor(() => expect(saved()?.body).toContain('"address":"word/comments.xml/p1","start":4,"end":8'));
  expect(saved()?.body).toContain('"address":"word/document.xml/p1","start":0,"end":4');
  expect(await panel.findByRole("button", { name: "Unmark all 2" })).toBeTruthy();
});
