/** The page of a long text; here it is a short one that says it is long. */
import { undo } from "@codemirror/commands";
import { EditorView } from "@codemirror/view";
import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { DraftShown } from "@/api/types";
import { draftOf } from "@/test/drafts";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import { mark } from "./engine/spans";

const ID = "d1";
const draft = (change: Partial<DraftShown> = {}) =>
  draftOf({ name: "log.txt", document_bytes: 3_000_000, classified_bytes: 3, plain_bytes: 2_999_997, ...change });
const content = (body: string, revision = 3) => new Response(body, { headers: { ETag: `"${revision}"` } });

function open(routes: Record<string, Answer>) {
  const gateway = fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody())),
    [`GET /api/v1/drafts/${ID}`]: json(draft()),
    [`GET /api/v1/drafts/${ID}/content`]: content("one <$S>two<$E>"),
    // Without it, the page would say that the document was deleted once it saves an edit.
    [`PUT /api/v1/drafts/${ID}`]: ({ headers }) =>
      json(draft({ revision: Number(headers.get("If-Match")?.replaceAll('"', "")) + 1 })),
    ...routes,
  });
  return { ...gateway, ...renderApp(`/documents/${ID}`) };
}

/** jsdom has no layout, and is taken for a Safari. */
beforeEach(() => {
  Object.assign(document, { execCommand: () => false });
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  Range.prototype.getBoundingClientRect = () => new DOMRect();
  vi.stubGlobal("matchMedia", (media: string) => ({
    ...{ media, matches: false, addEventListener() {}, removeEventListener() {} },
  }));
});

async function sheet(): Promise<EditorView> {
  const host = await waitFor(() => {
    const found = document.querySelector("[data-long-text]");
    if (!found) throw new Error("no sheet yet");
    return found;
  });
  // Whatever follows the editor does so by now.
  await act(async () => {});
  const view = EditorView.findFromDOM(host.shadowRoot?.querySelector<HTMLElement>(".cm-editor") as HTMLElement);
  if (!view) throw new Error("no editor in the sheet");
  return view;
}

test("the browser checks the spelling on request only", async () => {
  open({});
  const view = await sheet();
  expect(view.contentDOM.getAttribute("spellcheck")).toBe("false");
  await userEvent.click(screen.getByRole("button", { name: "More" }));
  await userEvent.click(await screen.findByRole("menuitemcheckbox", { name: /^Check spelling/ }));
  expect(view.contentDOM.spellcheck).toBe(true);
});

test("when the page is left its editor ends, and what it holds can be let go", async () => {
  const ended = vi.spyOn(EditorView.prototype, "destroy");
  const { unmount } = open({});
  await sheet();
  unmount();
  expect(ended).toHaveBeenCalledOnce();
});

test("no place of an earlier text is selected while a changed text is searched again", async () => {
  open({ [`GET /api/v1/drafts/${ID}/content`]: content("one <$S>two<$E> two") });
  const view = await sheet();
  await userEvent.keyboard("{Control>}f{/Control}");
  const panel = within(await screen.findByRole("search"));
  await userEvent.type(panel.getByRole("textbox", { name: "Find in the document" }), "two");
  await userEvent.click(await panel.findByRole("button", { name: "Mark all 1" }));
  // Only the marks have changed: the places stay.
  expect(await panel.findByRole("button", { name: "Unmark all 2" })).toBeTruthy();
  await userEvent.keyboard("{F3}");
  act(() => view.dispatch({ changes: { from: 7, to: 11 } }));
  await userEvent.keyboard("{F3}{Escape}");
  expect(screen.queryByRole("search")).toBe(null);
  expect(view.state.selection.main.to).toBeLessThanOrEqual(7);
});

test("saved elsewhere meanwhile: it is asked, and mine is kept as a new document", async () => {
  let theirs = false;
  let make = (_: Response) => {};
  const made = new Promise<Response>((resolve) => {
    make = resolve;
  });
  const { asked } = open({
    [`GET /api/v1/drafts/${ID}`]: () => json(draft({ revision: theirs ? 7 : 3 })),
    [`GET /api/v1/drafts/${ID}/content`]: () => (theirs ? content("theirs", 7) : content("one <$S>two<$E>")),
    [`PUT /api/v1/drafts/${ID}`]: refused(412, "somebody saved it meanwhile", { revision: 7 }),
    "GET /api/v1/labels": json({
      ...{ name: "uk", default: "OFFICIAL" },
      labels: [{ name: "OFFICIAL", rank: 1, banner: "UK OFFICIAL", colour: null }],
    }),
    "POST /api/v1/drafts": () => made,
  });
  const view = await sheet();
  theirs = true;
  act(() => view.dispatch({ changes: { from: 0, insert: "Mine. " } }));
  const dialog = await screen.findByRole("dialog", { name: /^Saved elsewhere at/ });
  await userEvent.click(within(dialog).getByRole("button", { name: "Keep mine as a new document" }));
  await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toBe("Mine. one <$S>two<$E>"));

  // What would be typed now would be lost, so nothing can be.
  await userEvent.keyboard("{Escape}");
  expect(screen.getByRole("dialog")).toBe(dialog);
  make(json(draft({ id: "d2", name: "log (mine).txt", revision: 1 }), 201));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBe(null));
  expect(window.location.pathname).toBe("/documents/d2");
});

test.each([
  ["of labels nobody speaks where there are none", json({ name: null, default: null, labels: [] }), 0],
  ["where it is not known whether there are labels, that is said", refused(500, "it is damaged"), 1],
])("deleted elsewhere meanwhile: it is kept as a new document; %s", async (_, labels, times) => {
  const { asked } = open({
    "GET /api/v1/labels": labels,
    [`PUT /api/v1/drafts/${ID}`]: refused(404, "no such draft"),
    "POST /api/v1/drafts": json(draft({ id: "d2", revision: 1 }), 201),
  });
  const view = await sheet();
  act(() => view.dispatch({ changes: { from: 0, insert: "Mine. " } }));
  const dialog = await screen.findByRole("dialog", { name: "Deleted elsewhere" });
  await userEvent.click(within(dialog).getByRole("button", { name: "Keep as a new document" }));
  await waitFor(() => expect(asked.find(({ method }) => method === "POST")?.body).toBe("Mine. one <$S>two<$E>"));
  await waitFor(() => expect(window.location.pathname).toBe("/documents/d2"));
  expect(screen.queryAllByText("Labels were not copied. Add them again.")).toHaveLength(times);
});

const UK = {
  ...{ name: "uk", default: "OFFICIAL" },
  labels: ["OFFICIAL", "SECRET"].map((name, rank) => ({ name, rank, banner: `UK ${name}`, colour: null })),
};
const labelled = (revision: number) =>
  json({
    ...{ revision, labels: ["SECRET"], floor: "SECRET", banner: "SECRET" },
    ...{ banner_text: "UK SECRET", compilation_reason: null },
  });

test("what is kept as a new document has its labels, too: of what was changed the highest, and the raised banner", async () => {
  let theirs = false;
  let answer = (_: Response) => {};
  const first = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  const { asked } = open({
    "GET /api/v1/labels": json({
      ...UK,
      labels: [...UK.labels, { name: "TOP SECRET", rank: 2, banner: "UK TOP SECRET", colour: null }],
    }),
    [`GET /api/v1/drafts/${ID}/labels`]: json({
      ...{ revision: 3, labels: ["OFFICIAL", null, "SECRET"], floor: "SECRET", banner: "TOP SECRET" },
      ...{ banner_text: "UK TOP SECRET", compilation_reason: "Together" },
    }),
    [`GET /api/v1/drafts/${ID}`]: () => json(draft({ revision: theirs ? 7 : 3 })),
    [`GET /api/v1/drafts/${ID}/content`]: () =>
      theirs ? content("theirs", 7) : content("one <$S>two<$E> <$S>x<$E><$S>y<$E>"),
    [`PUT /api/v1/drafts/${ID}`]: ({ headers }) =>
      headers.get("If-Match") === '"3"' ? first : refused(412, "somebody saved it meanwhile", { revision: 7 }),
    "POST /api/v1/drafts": json(draft({ id: "d2", revision: 1 }), 201),
    "PUT /api/v1/drafts/d2/labels": labelled(1),
  });
  const view = await sheet();
  expect((await screen.findByRole("region", { name: "Banner" })).textContent).toContain("UK TOP SECRET");
  await waitFor(() => expect(view.dom.querySelectorAll(".span-label")).toHaveLength(2));
  const saves = () => asked.filter(({ method }) => method === "PUT").length;
  act(() => view.dispatch({ changes: { from: 0, insert: "Mine. " } }));
  await userEvent.keyboard("{Control>}s{/Control}");
  await waitFor(() => expect(saves()).toBe(1));
  // While that is saved, all of a span is replaced, and two become one: neither has its old text any more.
  act(() => view.dispatch({ changes: { from: 10, to: 13, insert: "2" } }));
  act(() => view.dispatch(mark(view.state, [{ from: 12, to: 14 }])));
  theirs = true;
  answer(json(draft({ revision: 4 })));
  await userEvent.keyboard("{Control>}s{/Control}");
  const dialog = await screen.findByRole("dialog", { name: /^Saved elsewhere at/ });
  await userEvent.click(within(dialog).getByRole("button", { name: "Keep mine as a new document" }));
  const kept = await waitFor(() => {
    const put = asked.find(({ path }) => path === "/api/v1/drafts/d2/labels");
    if (!put) throw new Error("not labelled yet");
    return put;
  });
  expect(asked.find(({ method }) => method === "POST")?.body).toBe("Mine. one <$S>2<$E> <$S>xy<$E>");
  expect(kept.headers.get("If-Match")).toBe('"1"');
  expect(JSON.parse(kept.body)).toEqual({
    ...{ labels: ["SECRET", "SECRET"], banner: "TOP SECRET", compilation_reason: "Together", lowering_reason: null },
  });
  await waitFor(() => expect(window.location.pathname).toBe("/documents/d2"));
});

test("a label is changed on top of those that the gateway has by now", async () => {
  const all = (...labels: (string | null)[]) =>
    json({
      ...{ revision: 3, labels, floor: "SECRET", banner: "SECRET" },
      ...{ banner_text: "UK SECRET", compilation_reason: null },
    });
  let elsewhere = false;
  const { asked } = open({
    "GET /api/v1/labels": json(UK),
    [`GET /api/v1/drafts/${ID}/content`]: content("<$S>one<$E> <$S>two<$E>"),
    [`GET /api/v1/drafts/${ID}/labels`]: () => (elsewhere ? all(null, "SECRET") : all(null, null)),
    [`PUT /api/v1/drafts/${ID}/labels`]: all("SECRET", "SECRET"),
  });
  const view = await sheet();
  await screen.findByRole("region", { name: "Banner" });
  elsewhere = true;
  act(() => view.dispatch({ selection: { anchor: 1 } }));
  await userEvent.keyboard("{Control>}{Shift>}l{/Shift}{/Control}");
  await userEvent.click(await screen.findByRole("menuitem", { name: /SECRET/ }));
  const put = await waitFor(() => {
    const found = asked.find(({ method }) => method === "PUT");
    if (!found) throw new Error("not labelled yet");
    return found;
  });
  expect(JSON.parse(put.body).labels).toEqual(["SECRET", "SECRET"]);
});

test("by a policy: what is marked already is not asked about, and the accepted are marked in one step", async () => {
  const hit = (start: number, end: number, text: string) => ({
    ...{ address: "text", start, end, text, rule: "ships/2#1", reason: "A ship", label: "" },
  });
  const found = [hit(4, 7, "two"), hit(8, 11, "two"), hit(12, 15, "two")];
  const preview = (hits: unknown[], more: boolean) =>
    json({ policy: "any", version: 2, hits, more, missing: [] }, ...([200, { ETag: '"3"' }] as const));
  let answer = (_: Response) => {};
  const late = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  open({
    [`GET /api/v1/drafts/${ID}/content`]: content("one <$S>two<$E> two two"),
    "GET /api/v1/policies": json([
      { name: "ships", title: "Ships", version: 2, rules: 1, guard: false, changed_at: "" },
      { name: "birds", title: "Birds", version: 2, rules: 1, guard: false, changed_at: "" },
    ]),
    [`POST /api/v1/drafts/${ID}/policies/birds/preview`]: () => late,
    [`POST /api/v1/drafts/${ID}/policies/ships/preview`]: preview(found, true),
  });
  const view = await sheet();
  // In what an eavesdropper sees no mark is changed, and nothing is outlined; who wants to mark is led to the text.
  const eavesdropper = screen.getByRole("button", { name: "What an eavesdropper sees" });
  await userEvent.click(eavesdropper);
  expect(screen.getByRole("button", { name: "Mark as classified" }).getAttribute("aria-disabled")).toBe("true");
  await userEvent.click(screen.getByRole("button", { name: "Policies" }));
  expect(eavesdropper.getAttribute("aria-pressed")).toBe("false");
  const panel = within(await screen.findByRole("region", { name: "Mark by a policy" }));
  // The one that was chosen first answers last: it concerns nobody any more.
  for (const policy of [/Birds/, /Ships/]) {
    await userEvent.click(await panel.findByRole("combobox", { name: "Policy" }));
    await userEvent.click(await screen.findByRole("option", { name: policy }));
  }
  expect(await panel.findByText("2 hits")).toBeTruthy();
  answer(preview([hit(0, 3, "one")], false));
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  expect(panel.getByText(/1 more is already marked.*Only the first 10,000 hits are listed/)).toBeTruthy();
  expect(panel.getByRole("button", { name: "List more" })).toBeTruthy();
  act(() => view.dispatch({ changes: { from: 0, insert: "new " } }));
  await userEvent.click(panel.getByRole("button", { name: "Accept all 2" }));
  await userEvent.click(panel.getByRole("button", { name: "Mark 2 accepted hits" }));
  expect([...view.dom.querySelectorAll("mark")].map(({ textContent }) => textContent)).toEqual(["two", "two", "two"]);
  expect(await panel.findByText("All 3 hits are marked.")).toBeTruthy();
  // What is cut is not marked; and it is there again where that is undone.
  act(() => view.dispatch({ changes: { from: 8, to: 15 } }));
  expect(await panel.findByText("No hits left: 1 marked, 2 deleted.")).toBeTruthy();
  expect(panel.getByText("The text has changed since the search.")).toBeTruthy();
  act(() => void undo(view));
  expect(await panel.findByText("All 3 hits are marked.")).toBeTruthy();
});
