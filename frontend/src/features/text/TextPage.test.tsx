import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { Editor } from "@tiptap/core";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { DraftShown } from "@/api/types";
import { draftOf } from "@/test/drafts";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import { positionAt } from "./tiptap/engine/place";

const ID = "d1";
const draft = (change: Partial<DraftShown> = {}) =>
  draftOf({ document_bytes: 10, classified_bytes: 3, plain_bytes: 7, ...change });
const content = (body: string | Uint8Array<ArrayBuffer>, revision = 3) =>
  new Response(body, { headers: { ETag: `"${revision}"` } });

function open(routes: Record<string, Answer>) {
  const gateway = fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody())),
    [`GET /api/v1/drafts/${ID}`]: json(draft()),
    [`GET /api/v1/drafts/${ID}/content`]: content("one <$S>two<$E> three"),
    // Without it, the page would say that the document was deleted once it saves an edit.
    [`PUT /api/v1/drafts/${ID}`]: ({ headers }) =>
      json(draft({ revision: Number(headers.get("If-Match")?.replaceAll('"', "")) + 1 })),
    ...routes,
  });
  renderApp(`/documents/${ID}`);
  return gateway;
}

/** jsdom has no layout, which ProseMirror asks for when it scrolls. */
beforeEach(() => {
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  Range.prototype.getBoundingClientRect = () => new DOMRect();
  Element.prototype.scrollIntoView = () => {};
});

/** What screen readers announced in the last seconds. */
const said = () => document.querySelector("[aria-live=polite]")?.textContent;
const paper = () => screen.findByRole("textbox", { name: "Text of the document" });
const editorOf = (dom: HTMLElement) => (dom as HTMLElement & { editor: Editor }).editor;

function select(dom: HTMLElement, from: number, to: number) {
  const editor = editorOf(dom);
  const { doc } = editor.state;
  act(() => void editor.commands.setTextSelection({ from: positionAt(doc, from), to: positionAt(doc, to) }));
}

test("a document is shown with its marks, and opening it saves nothing", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { asked } = open({});
  const dom = await paper();
  expect(dom.textContent).toBe("one two three");
  expect(within(dom).getByText("two").tagName).toBe("MARK");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("report.txt");
  act(() => void vi.advanceTimersByTime(60_000));
  vi.useRealTimers();
  expect(asked.filter(({ method, path }) => method !== "GET" && !path.endsWith("/check/unsaved"))).toEqual([]);
});

test("marking saves on top of the revision that was opened", async () => {
  const { asked } = open({ [`PUT /api/v1/drafts/${ID}`]: json(draft({ revision: 4 })) });
  const dom = await paper();
  select(dom, 8, 13);
  await userEvent.click(screen.getByRole("button", { name: "Mark as classified" }));
  expect(dom.querySelectorAll("mark").length).toBe(2);
  expect(said()).toContain("Marked: 5 characters");
  await waitFor(() => expect(asked.some(({ method }) => method === "PUT")).toBe(true));
  const saves = asked.filter(({ method }) => method === "PUT");
  expect(saves.map(({ body }) => body)).toEqual(["one <$S>two<$E> <$S>three<$E>"]);
  expect(saves[0]?.headers.get("If-Match")).toBe('"3"');
  await waitFor(() => expect(screen.getByText("Saved")).toBeTruthy());
});

test("the browser checks the spelling on request only, and the choice is kept", async () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
  open({});
  const dom = await paper();
  expect(dom.getAttribute("spellcheck")).toBe("false");
  await userEvent.click(screen.getByRole("button", { name: "More" }));
  const item = await screen.findByRole("menuitemcheckbox", { name: /^Check spelling/ });
  expect(item.textContent).toContain("Some browsers send the text to a service");
  await userEvent.click(item);
  expect(dom.getAttribute("spellcheck")).toBe("true");
  expect([...stored.keys()].some((key) => key.startsWith("sieve-spell-check-"))).toBe(true);
  await userEvent.click(item);
  expect(dom.getAttribute("spellcheck")).toBe("false");
  expect([...stored.keys()].some((key) => key.startsWith("sieve-spell-check-"))).toBe(false);
});

test("what cannot be loaded has no editor, and a way on", async () => {
  const { asked, routes } = open({ [`GET /api/v1/drafts/${ID}/content`]: refused(500, "the blob is damaged") });
  expect((await screen.findByRole("alert")).textContent).toContain("The blob is damaged.");
  expect(screen.queryByRole("textbox")).toBe(null);
  routes[`GET /api/v1/drafts/${ID}/content`] = content("good");
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect((await paper()).textContent).toBe("good");
  expect(asked.some(({ method, path }) => method !== "GET" && !path.endsWith("/check/unsaved"))).toBe(false);
});

test.each([
  ["a NUL", "a\0b", /NUL characters/],
  ["more than the editor holds", "x\n".repeat(1_100_000), /up to 2 MB/],
  ["an empty span", "a<$S><$E>b", /span 1 of 1 is empty/],
  ["no UTF-8", new Uint8Array([0x61, 0xe4]), /not UTF-8/],
])("%s: it can be read, sent and downloaded, not edited", async (_, body, why) => {
  open({ [`GET /api/v1/drafts/${ID}/content`]: content(body) });
  expect(await screen.findByText(why)).toBeTruthy();
  expect(screen.queryByRole("textbox")).toBe(null);
  expect(screen.getByRole("button", { name: "Send" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Download" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Rename" })).toBeTruthy();
});

test("a document that is not there", async () => {
  open({ [`GET /api/v1/drafts/${ID}`]: refused(404, "no such draft") });
  expect(await screen.findByText("Document not found")).toBeTruthy();
});

test("renaming goes through the same queue", async () => {
  const { asked } = open({ [`PATCH /api/v1/drafts/${ID}`]: json(draft({ revision: 4, name: "new.txt" })) });
  await paper();
  await userEvent.click(screen.getByRole("button", { name: "Rename" }));
  const field = screen.getByRole("textbox", { name: "Name" });
  fireEvent.change(field, { target: { value: "new.txt" } });
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("new.txt"));
  const patch = asked.find(({ method }) => method === "PATCH");
  expect([patch?.body, patch?.headers.get("If-Match")]).toEqual(['{"name":"new.txt"}', '"3"']);
});

test("saved elsewhere meanwhile: nothing is overwritten before somebody decided", async () => {
  let theirs = false;
  const { asked } = open({
    [`GET /api/v1/drafts/${ID}`]: () => json(draft({ revision: theirs ? 7 : 3 })),
    [`GET /api/v1/drafts/${ID}/content`]: () => (theirs ? content("theirs", 7) : content("mine")),
    [`PUT /api/v1/drafts/${ID}`]: ({ headers }) =>
      headers.get("If-Match") === '"7"'
        ? json(draft({ revision: 8 }))
        : refused(412, "somebody saved it meanwhile", { revision: 7 }),
  });
  const dom = await paper();
  theirs = true;
  select(dom, 0, 4);
  await userEvent.click(screen.getByRole("button", { name: "Mark as classified" }));
  const dialog = await screen.findByRole("dialog", { name: /^Saved elsewhere at/ });
  expect(asked.filter(({ method }) => method === "PUT").length).toBe(1);
  expect(dom.textContent).toBe("mine");
  await userEvent.click(within(dialog).getByRole("button", { name: "Keep mine" }));
  await waitFor(() => expect(screen.getByText("Saved")).toBeTruthy());
  const [, second] = asked.filter(({ method }) => method === "PUT");
  expect([second?.body, second?.headers.get("If-Match")]).toEqual(["<$S>mine<$E>", '"7"']);
});

test("what an eavesdropper sees is the plain stream, and nothing else", async () => {
  open({ [`GET /api/v1/drafts/${ID}/content`]: content("one <$S>two\n<$E>three\n<$S>x<$E>") });
  await paper();
  await userEvent.click(screen.getByRole("button", { name: "What an eavesdropper sees" }));
  const region = screen.getByRole("region", { name: "What an eavesdropper sees" });
  expect(region.textContent).toBe("one three\n");
  // It is in the text's place here: marks are listed, and stay as they are.
  await userEvent.click(screen.getByRole("button", { name: "Classified spans" }));
  expect(await screen.findByText(/^The eavesdropper’s view is read-only/)).toBeTruthy();
});

const HERONS = "<$S>Heron<$E> sails.\nheron and herons, HERON.";
const heron = (id: string, start: number, end: number) => ({
  ...{
    id,
    kind: "phrase",
    group: "heron",
    says: "“heron” is marked elsewhere",
    travels_plain: true,
    address: "text",
    start,
    end,
  },
  excerpt: "heron and herons, HERON.",
});
/** Three findings, of which the first and the last are marked by the answer that follows. */
const withHerons = () =>
  open({
    [`GET /api/v1/drafts/${ID}/content`]: content(HERONS),
    [`PUT /api/v1/drafts/${ID}`]: json(draft({ revision: 4 })),
    [`POST /api/v1/drafts/${ID}/check/unsaved`]: json({
      ...{ revision: null, kinds: { phrase: 3 }, digest: "", more: false, rule: "confirm", count: 3 },
      suggestions: [],
      findings: [heron("1", 13, 18), heron("2", 23, 29), heron("3", 31, 36)],
    }),
  });

test("finding: places are chosen, marked in one step, and unmarked", async () => {
  withHerons();
  const dom = await paper();
  await userEvent.keyboard("{Control>}f{/Control}");
  const panel = within(await screen.findByRole("search", { name: "Find and mark" }));
  const input = panel.getByRole("textbox", { name: "Find in the document" });
  expect(document.activeElement).toBe(input);
  await userEvent.type(input, "heron");
  expect(await panel.findByText("1 of 4")).toBeTruthy();
  await userEvent.keyboard("{Enter}");
  expect(panel.getByText("2 of 4")).toBeTruthy();
  await userEvent.click(panel.getByRole("checkbox", { name: "Whole words" }));
  await waitFor(() => expect(panel.getByText("2 of 3")).toBeTruthy());
  await userEvent.click(panel.getByRole("button", { name: "Mark all 2" }));
  const marks = () => [...dom.querySelectorAll("mark")].map(({ textContent }) => textContent);
  expect(marks()).toEqual(["Heron", "heron", "HERON"]);
  expect(said()).toContain("Marked: 2 places");
  act(() => void editorOf(dom).commands.undo());
  expect(marks()).toEqual(["Heron"]);
  await waitFor(() => expect(panel.getByRole("button", { name: "Unmark all 1" })).toBeTruthy());
  await userEvent.click(panel.getByRole("button", { name: "Unmark all 1" }));
  expect(marks()).toEqual([]);
  expect(await panel.findByRole("button", { name: "Unmark all" })).toHaveProperty("disabled", true);
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("search")).toBe(null);
});

const POLICY = {
  name: "ships",
  title: "Ships",
  version: 2,
  rules: 2,
  changed_at: "2026-11-21T10:00:00Z",
  changed_by: "ada",
};
const hit = (start: number, end: number, rule: number, reason: string) => ({
  ...{ start, end, rule: `ships/2#${rule}`, reason, label: "", granularity: "match" },
});
const SHIPS = {
  policy: "ships",
  version: 2,
  more: true,
  hits: [hit(0, 5, 1, "A ship"), hit(13, 18, 1, "A ship"), hit(23, 29, 2, "Ships"), hit(31, 36, 1, "A ship")],
};

test("by a policy: hits are accepted and rejected, and the accepted marked in one step", async () => {
  let answer = (_: Response) => {};
  const late = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  const { asked } = open({
    [`GET /api/v1/drafts/${ID}/content`]: content(HERONS),
    "GET /api/v1/policies": json([POLICY, { ...POLICY, name: "birds", title: "Birds" }]),
    "POST /api/v1/policies/birds/preview": () => late,
    "POST /api/v1/policies/ships/preview": json(SHIPS),
  });
  const dom = await paper();
  await userEvent.click(screen.getByRole("button", { name: "Policies" }));
  const panel = within(await screen.findByRole("region", { name: "Mark by a policy" }));
  for (const policy of [/Birds/, /Ships/]) {
    await userEvent.click(await panel.findByRole("combobox", { name: "Policy" }));
    await userEvent.click(await screen.findByRole("option", { name: policy }));
  }
  // The marked one is not asked about.
  expect(await panel.findByText("3 hits")).toBeTruthy();
  expect(panel.getByText(/1 more is already marked/)).toBeTruthy();
  expect(asked.find(({ path }) => path.includes("/preview"))?.body).toBe("Heron sails.\nheron and herons, HERON.");

  await userEvent.click(panel.getByRole("button", { name: "Reject all 3" }));
  await userEvent.click(panel.getByRole("button", { name: "List more" }));
  // Rejected hits stay rejected when they are listed again.
  expect(await panel.findByText("3 hits, 3 rejected")).toBeTruthy();
  // What was chosen first answers last: it concerns nobody any more.
  answer(json({ ...SHIPS, hits: SHIPS.hits.slice(0, 1) }));
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  expect(panel.getByText("3 hits, 3 rejected")).toBeTruthy();
  expect(said()).not.toContain("1 hit");

  await userEvent.click(panel.getByRole("button", { name: "Accept all 3" }));
  expect(panel.getByText("3 hits, 3 accepted")).toBeTruthy();
  expect(dom.querySelectorAll("mark")).toHaveLength(1);
  await userEvent.click(panel.getByRole("button", { name: "Mark 3 accepted hits" }));
  expect(dom.querySelectorAll("mark")).toHaveLength(4);
  expect(said()).toContain("Marked: 3 places");
  expect(await panel.findByText("All 4 hits are marked.")).toBeTruthy();
  act(() => void editorOf(dom).commands.undo());
  expect(dom.querySelectorAll("mark")).toHaveLength(1);

  // What is typed makes of it another text.
  act(() => void editorOf(dom).commands.insertContentAt(2, "A "));
  expect(await panel.findByText("The text has changed since the search.")).toBeTruthy();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("region", { name: "Mark by a policy" })).toBe(null);
});

const LABELS = {
  name: "uk",
  default: "OFFICIAL",
  labels: [
    { name: "OFFICIAL", rank: 1, banner: "UK OFFICIAL", colour: null },
    { name: "SECRET", rank: 2, banner: "UK SECRET", colour: "#aa0000" },
  ],
};
const labelled = (labels: (string | null)[], banner: string) =>
  json({ revision: 3, labels, floor: banner, banner, banner_text: `UK ${banner}`, compilation_reason: null });

test("a span is labelled: at the mark, in the list, in the banner, and lowered only with a reason", async () => {
  let tries = 0;
  let elsewhere: string | null = null;
  const { asked } = open({
    "GET /api/v1/labels": json(LABELS),
    [`GET /api/v1/drafts/${ID}/content`]: content("one <$S>two<$E> <$S>three<$E>"),
    [`GET /api/v1/drafts/${ID}/labels`]: () => labelled(["SECRET", elsewhere], "SECRET"),
    [`PUT /api/v1/drafts/${ID}/labels`]: () =>
      ++tries === 1
        ? refused(409, "1 label would be lowered", { kind: "lowering" })
        : labelled([null, "OFFICIAL"], "OFFICIAL"),
  });
  const dom = await paper();
  expect((await screen.findByRole("region", { name: "Banner" })).textContent).toContain("UK SECRET");
  await waitFor(() => expect(dom.querySelector(".span-label")?.getAttribute("data-label")).toBe("SECRET"));
  // What another page changed meanwhile stays as it is there.
  elsewhere = "OFFICIAL";
  select(dom, 5, 6);
  await userEvent.click(screen.getByRole("button", { name: "Label" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Default: OFFICIAL/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "Lower the banner?" }));
  await userEvent.type(dialog.getByRole("textbox", { name: "Why it can be lowered" }), "It is known");
  await userEvent.click(dialog.getByRole("button", { name: "Lower" }));
  await waitFor(() => expect(screen.getByRole("region", { name: "Banner" }).textContent).toContain("UK OFFICIAL"));
  await waitFor(() => expect(dom.querySelector(".span-label")?.getAttribute("data-label")).toBe("OFFICIAL"));
  const puts = asked.filter(({ method }) => method === "PUT");
  expect(puts.map(({ headers }) => headers.get("If-Match"))).toEqual(['"3"', '"3"']);
  expect(puts.map(({ body }) => JSON.parse(body))).toEqual(
    [null, "It is known"].map((lowering_reason) => ({
      labels: [null, "OFFICIAL"],
      banner: null,
      compilation_reason: null,
      lowering_reason,
    })),
  );
});

test("with a selection, its other places are marked as well: as many as the leak check finds", async () => {
  withHerons();
  const dom = await paper();
  expect(await screen.findByRole("button", { name: "3 findings" })).toBeTruthy();
  act(() => void editorOf(dom).commands.focus());
  act(() => dom.focus());
  select(dom, 0, 5);
  await userEvent.click(await screen.findByRole("button", { name: "Also mark 3 others" }));
  expect([...dom.querySelectorAll("mark")].map(({ textContent }) => textContent)).toContain("herons");
  expect(dom.querySelectorAll("mark")).toHaveLength(4);
  await waitFor(() => expect(screen.queryByRole("button", { name: /^Also mark/ })).toBe(null));
});

test("findings of the text as it is typed are shown at their places, marked, and left with a reason", async () => {
  // jsdom has no layout: so high is the place where the list is scrolled.
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  const { asked } = withHerons();
  const dom = await paper();
  const checks = () => asked.filter(({ path }) => path.endsWith("/check/unsaved")).map(({ body }) => body);
  await userEvent.click(await screen.findByRole("button", { name: "3 findings" }));
  expect(checks()).toEqual([HERONS]);
  // The old findings stay at their places until the gateway has answered for the new text.
  const list = () => within(screen.getByRole("region", { name: "Findings" }));
  act(() => void editorOf(dom).commands.insertContentAt(positionAt(editorOf(dom).state.doc, 6), "also "));
  await waitFor(() => expect(checks()).toHaveLength(2));
  expect(checks()[1]).toBe("<$S>Heron<$E> also sails.\nheron and herons, HERON.");
  expect(await list().findByText("3")).toBeTruthy();
  await userEvent.click(list().getByRole("button", { name: /^Leave/ }));
  await userEvent.keyboard("Birds{Enter}");
  expect(list().getByText("You left 3 findings as they are.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "3 findings" })).toBe(null);
  await userEvent.click(list().getByRole("button", { name: "Show again" }));
  await userEvent.click(list().getByRole("button", { name: /^Mark all 3/ }));
  expect(dom.querySelectorAll("mark")).toHaveLength(4);
});

test("rows that are found are as high as a finger needs", async () => {
  vi.stubGlobal("matchMedia", (media: string) => ({
    ...{ media, matches: media === "(pointer: coarse)", addEventListener() {}, removeEventListener() {} },
  }));
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  withHerons();
  await paper();
  await userEvent.keyboard("{Control>}f{/Control}");
  const panel = within(await screen.findByRole("search", { name: "Find and mark" }));
  await userEvent.type(panel.getByRole("textbox", { name: "Find in the document" }), "heron");
  const [place] = await within(panel.getByRole("list", { name: "Places" })).findAllByRole("listitem");
  expect(place?.style.height).toBe("44px");
});
