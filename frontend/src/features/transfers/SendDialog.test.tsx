import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import type { DocumentChecked, FindingShown } from "@/api/findings";
import type { DraftShown } from "@/api/types";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { type SendAgain, SendDialog } from "./SendDialog";
import { aDraft, anEstimate, aTransfer } from "./transfer.fixture";

/** What the dialog asks besides the peers. */
const AROUND = {
  "GET /api/v1/recipients/recent": json([]),
  "GET /api/v1/recipient-groups": json([]),
  "GET /api/v1/gateway": json({ name: "alpha", deadline_s: 259_200 }),
};
const BRAVO = { name: "bravo", is_own: false };
const BRUNO = { name: "bruno", display_name: "Bruno", unit: "Harbour office", cleared: true };
const ROSA = { name: "rosa", display_name: "Rosa", unit: null, cleared: false };

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

const CLEAN: DocumentChecked = {
  revision: 2,
  count: 0,
  kinds: {},
  digest: "d0",
  suggestions: [],
  findings: [],
  more: false,
  rule: "confirm",
};
const PLAN = {
  ...{ mode: "sieve", secure_channels: 1, plain_channels: 2, most_secure: 3, most_plain: 2 },
  estimate: anEstimate(),
};
const FINDING: FindingShown = {
  ...{
    id: "f1",
    kind: "phrase",
    group: "berg",
    says: "“Berg” is marked elsewhere",
    address: "text",
    travels_plain: true,
  },
  ...{ start: 4, end: 8, excerpt: "Ask Berg or" },
};
const FOUND: DocumentChecked = {
  ...CLEAN,
  count: 3,
  digest: "d3",
  suggestions: [],
  findings: [
    FINDING,
    { ...FINDING, id: "f2", start: 20, end: 24 },
    { ...FINDING, id: "f3", kind: "name", group: "", start: null, end: null },
  ],
};

interface Around {
  onLeaveOut?: (draft: DraftShown) => void;
  reasons?: readonly string[];
  onShow?: (finding: FindingShown) => void;
  again?: SendAgain;
}

function Page({ drafts, ...around }: { drafts: readonly DraftShown[] } & Around) {
  const [open, setOpen] = useState(true);
  return <SendDialog drafts={drafts} {...around} open={open} onOpenChange={setOpen} />;
}

async function opened(draft = aDraft(), routes: Record<string, Answer> = {}, person = somebody(), around: Around = {}) {
  const { asked } = fakeGateway({
    "GET /api/v1/recipients/gateways": json([BRAVO]),
    "GET /api/v1/peers/bravo/recipients": json({ recipients: [BRUNO, ROSA], as_of: null }),
    "POST /api/v1/sends": json({ transfers: [aTransfer()] }, 202),
    "POST /api/v1/drafts/d1/check": json(CLEAN),
    "GET /api/v1/peers/bravo/plan": json(PLAN),
    ...AROUND,
    ...routes,
  });
  renderSignedIn(<Page drafts={[draft]} {...around} />, person);
  const dialog = within(await screen.findByRole("dialog", { name: "Send this document" }));
  const sent = () =>
    asked.filter(({ path }) => path === "/api/v1/sends").map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return { dialog, asked, sent };
}

async function choose(dialog: ReturnType<typeof within>, name: string) {
  await userEvent.type(await dialog.findByRole("combobox", { name: "Recipients" }), name);
  await userEvent.click(await screen.findByRole("option", { name: new RegExp(name) }));
}

const send = (dialog: ReturnType<typeof within>) => userEvent.click(dialog.getByRole("button", { name: "Send" }));

test("sends the saved revision to the chosen recipients, and says what uncleared ones will see", async () => {
  const { dialog, sent } = await opened();
  await choose(dialog, "Bruno");
  expect(dialog.queryByText(/not cleared/)).toBeNull();
  await choose(dialog, "Rosa");
  expect(dialog.getByText(/Rosa is not cleared and will see markers/)).toBeTruthy();
  expect(dialog.getByText("100 bytes")).toBeTruthy();
  expect(dialog.getByText("900 bytes")).toBeTruthy();
  await dialog.findByText(/Both channels should be faster/);
  await send(dialog);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent()).toEqual([
    {
      document_ids: ["s1"],
      // What the author saw, so that nothing goes over the plain channel if that was the secure one alone.
      to: [{ peer: "bravo", recipients: ["bruno", "rosa"], estimated_mode: "sieve" }],
      split: "range",
      mode: "auto",
    },
  ]);
});

test("says nothing about a file's redacted edition until the answer is known", async () => {
  let answer: (response: Response) => void = () => {};
  const later = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  const { dialog } = await opened(aDraft({ format: "docx", name: "memo.docx", media_type: "application/msword" }), {
    "GET /api/v1/documents/s1/redacted": () => later,
  });
  await choose(dialog, "Rosa");
  expect(dialog.getByText(/^Rosa is not cleared. Checking whether a redacted edition can be included/)).toBeTruthy();
  answer(refused(503, "All reading processes are busy."));
  expect(await dialog.findByText(/Without one, they see the document’s name/)).toBeTruthy();
});

test("sending again names a person who can no longer receive, and waits until they are removed", async () => {
  const recipients = [
    { peer: "bravo", name: "bruno", display_name: "Bruno" },
    { peer: "bravo", name: "max", display_name: "Max Berg" },
  ];
  const again = { recipients, options: { mode: "auto", secure_channels: null, plain_channels: null } } as const;
  fakeGateway({
    "GET /api/v1/recipients/gateways": json([BRAVO]),
    "GET /api/v1/peers/bravo/recipients": json({ recipients: [BRUNO], as_of: null }),
    "POST /api/v1/sends": json({ transfers: [aTransfer()] }, 202),
    "POST /api/v1/documents/s1/check": json(CLEAN),
    "GET /api/v1/peers/bravo/plan": json(PLAN),
    ...AROUND,
  });
  renderSignedIn(<Page drafts={[aDraft()]} again={again} />);
  const dialog = within(await screen.findByRole("dialog", { name: "Send this document again" }));
  expect(await dialog.findByText("Max Berg cannot receive at bravo. Remove this recipient.")).toBeTruthy();
  await send(dialog);
  expect(screen.getByRole("dialog")).toBeTruthy();
  await userEvent.click(dialog.getByRole("button", { name: "Remove Max Berg" }));
  expect(dialog.queryByText(/cannot receive/)).toBeNull();
  await send(dialog);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("never sends without recipients or with Enter", async () => {
  const { dialog, sent } = await opened();
  await dialog.findByRole("combobox", { name: "Recipients" });
  await send(dialog);
  expect(dialog.getByText("Choose at least one recipient.")).toBeTruthy();
  expect(document.activeElement).toBe(dialog.getByRole("combobox", { name: "Recipients" }));
  await choose(dialog, "Bruno");
  await userEvent.keyboard("{Enter}{Enter}");
  expect(sent()).toEqual([]);
});

test("sending a document without classified text over both channels needs confirmation", async () => {
  const { dialog, sent } = await opened(aDraft({ classified_bytes: 0, plain_bytes: 1000 }));
  await choose(dialog, "Bruno");
  await send(dialog);
  expect(dialog.getByRole("alert").textContent).toContain("Tick the box to confirm");
  expect(sent()).toEqual([]);
  await userEvent.click(dialog.getByRole("button", { name: /^Options/ }));
  await userEvent.click(dialog.getByRole("radio", { name: /Secure channel only/ }));
  expect(dialog.queryByText(/Nothing in this document is classified/)).toBeNull();
  await userEvent.click(dialog.getByRole("radio", { name: /^Both channels/ }));
  await userEvent.click(dialog.getByRole("checkbox"));
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
});

test("open findings need a reason", async () => {
  const found = { "POST /api/v1/drafts/d1/check": json(FOUND) };
  const { dialog, sent } = await opened(aDraft(), found, somebody(), { onShow: vi.fn() });
  await choose(dialog, "Bruno");
  expect(await dialog.findByRole("heading", { name: "3 findings in the plain part" })).toBeTruthy();
  expect(dialog.getByText("“Berg” is marked elsewhere (2 places)")).toBeTruthy();
  await send(dialog);
  const reason = dialog.getByRole("textbox", { name: "Reason for sending it anyway" });
  expect(document.activeElement).toBe(reason);
  expect(dialog.getByText("Enter a reason, or go back and mark what the findings point to.")).toBeTruthy();
  expect(sent()).toEqual([]);
  await userEvent.type(reason, " Another Berg. ");
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.confirm).toEqual({ findings_digest: "d3", reason: "Another Berg." });
});

test("why they were left in the editor is the reason, until another is said", async () => {
  const { dialog, sent } = await opened(aDraft(), { "POST /api/v1/drafts/d1/check": json(FOUND) }, somebody(), {
    reasons: ["Berg: another one", "Ida: a ship"],
  });
  await choose(dialog, "Bruno");
  await dialog.findByDisplayValue("Berg: another one; Ida: a ship");
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.confirm).toEqual({ findings_digest: "d3", reason: "Berg: another one; Ida: a ship" });
});

test("says that the gateway forbids open findings, and sends nothing", async () => {
  const { dialog, sent } = await opened(aDraft(), {
    "POST /api/v1/drafts/d1/check": json({ ...FOUND, rule: "forbid" }),
  });
  await choose(dialog, "Bruno");
  await dialog.findByText(/This gateway does not send documents with open findings/);
  expect(dialog.queryByRole("textbox", { name: "Reason for sending it anyway" })).toBeNull();
  await send(dialog);
  expect(dialog.getByRole("alert").textContent).toContain("mark what they point to");
  expect(sent()).toEqual([]);
});

test("where the gateway does not look, nothing is asked", async () => {
  const { dialog, sent } = await opened(aDraft(), { "POST /api/v1/drafts/d1/check": json({ ...FOUND, rule: "off" }) });
  await choose(dialog, "Bruno");
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.confirm).toBeUndefined();
});

test("findings that are new since are shown instead of the refusal", async () => {
  let looks = 0;
  const { dialog, sent } = await opened(aDraft(), {
    "POST /api/v1/drafts/d1/check": () => json(++looks === 1 ? CLEAN : FOUND),
    "POST /api/v1/sends": refused(409, "the leak check found 3 findings", { kind: "open-findings", digest: "d3" }),
  });
  await choose(dialog, "Bruno");
  await waitFor(() => expect(looks).toBe(1));
  await send(dialog);
  expect(await dialog.findByText("The findings have changed. Review them again.")).toBeTruthy();
  expect(dialog.queryByText("The document was not sent.")).toBeNull();
  expect(sent()).toHaveLength(1);
});

test("shows a finding that has a place in the document", async () => {
  const onShow = vi.fn();
  const { dialog } = await opened(aDraft(), { "POST /api/v1/drafts/d1/check": json(FOUND) }, somebody(), { onShow });
  const shows = await dialog.findAllByRole("button", { name: /^Show “Berg”/ });
  expect(shows).toHaveLength(1);
  await userEvent.click(shows[0] as HTMLElement);
  expect(onShow).toHaveBeenCalledWith(FINDING);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("requests a number of channels only if the author chose one, within the peer's limit", async () => {
  const { dialog, sent } = await opened();
  await choose(dialog, "Bruno");
  expect(await dialog.findByText("Both channels should be faster. Sending should take under a second.")).toBeTruthy();
  await userEvent.click(dialog.getByRole("button", { name: /^Options/ }));
  expect(dialog.getByText("Both channels (1 secure, 2 plain): response of about 7 ms")).toBeTruthy();
  await userEvent.click(dialog.getByRole("combobox", { name: "Secure channels" }));
  expect(await screen.findAllByRole("option")).toHaveLength(4);
  await userEvent.click(screen.getByRole("option", { name: "3" }));
  await userEvent.click(dialog.getByRole("combobox", { name: "Plain channels" }));
  await userEvent.click(await screen.findByRole("option", { name: "2" }));
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toMatchObject({ secure_channels: 3, plain_channels: 2 });
});

test("an empty document has nothing that could be read", async () => {
  const { dialog, sent } = await opened(aDraft({ document_bytes: 0, classified_bytes: 0, plain_bytes: 0 }));
  await choose(dialog, "Bruno");
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
});

test("a peer that does not answer is named with its sentence, and asked again", async () => {
  let tries = 0;
  const { dialog } = await opened(aDraft(), {
    "GET /api/v1/peers/bravo/recipients": () =>
      ++tries === 1
        ? refused(502, "bravo does not answer: no connection within 10 s")
        : json({ recipients: [BRUNO], as_of: null }),
  });
  const alert = await dialog.findByRole("alert");
  expect(alert.textContent).toContain("Bravo does not answer: no connection within 10 s.");
  expect(dialog.getByRole("button", { name: "Send" })).toHaveProperty("disabled", true);
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  expect(await dialog.findByRole("combobox", { name: "Recipients" })).toBeTruthy();
});

test("a peer that is down shows its last known recipients and their age, and does not stop the author", async () => {
  const { dialog, sent } = await opened(aDraft(), {
    "GET /api/v1/peers/bravo/recipients": json({ recipients: [BRUNO, ROSA], as_of: "2026-11-22T19:04:00Z" }),
  });
  const note = await dialog.findByText(/Bravo does not answer\. This list is from 22 Nov 2026, /);
  expect(note.textContent).toContain("You can send now: the document is sent when bravo is back.");
  expect(await dialog.findByText(/This counts from when bravo is back\./)).toBeTruthy();
  await choose(dialog, "Bruno");
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
});

test("a refusal keeps the choices and shows the reason", async () => {
  const { dialog } = await opened(aDraft(), {
    "POST /api/v1/sends": refused(422, "nobody named rosa can receive at bravo"),
  });
  await choose(dialog, "Rosa");
  await send(dialog);
  expect((await dialog.findByRole("alert")).textContent).toContain("Nobody named rosa can receive at bravo.");
  expect(dialog.getByText("Rosa")).toBeTruthy();
});

const BERG = { name: "a.berg", display_name: "Anna Berg", unit: "Harbour office", cleared: true };
const OTHER_BERG = { name: "anna", display_name: "Anna Berg", unit: "Archive", cleared: false };
const CRISIS = {
  ...{ id: "g1", name: "Crisis team" },
  members: [
    { peer: "bravo", name: "bruno" },
    { peer: "charlie", name: "anna" },
    { peer: "charlie", name: "gone" },
  ],
};
/** A second gateway, with a namesake and a group over both. */
const TWO_GATEWAYS = {
  "GET /api/v1/recipients/gateways": json([BRAVO, { name: "charlie", is_own: false }]),
  "GET /api/v1/peers/bravo/recipients": json({ recipients: [BERG, BRUNO], as_of: null }),
  "GET /api/v1/peers/charlie/recipients": json({ recipients: [OTHER_BERG], as_of: null }),
  "GET /api/v1/peers/charlie/plan": json({ ...PLAN, mode: "secure-only", plain_channels: 0 }),
  "GET /api/v1/recipients/recent": json([{ peer: "bravo", name: "bruno" }]),
  "GET /api/v1/recipient-groups": json([CRISIS]),
};

const optionTexts = () => screen.getAllByRole("option").map(({ textContent }) => textContent);

test("a group over two gateways is chosen at once and sent in one request, with a forecast for each gateway", async () => {
  const { dialog, sent } = await opened(aDraft(), TWO_GATEWAYS);
  await choose(dialog, "Crisis team");
  expect(await dialog.findByText("gone cannot receive at charlie. Remove this recipient.")).toBeTruthy();
  await userEvent.click(dialog.getByRole("button", { name: "Remove gone" }));
  const charlie = within(await dialog.findByRole("region", { name: "To charlie" }));
  expect(await charlie.findByText("Nothing")).toBeTruthy();
  expect(charlie.getByText("1 KB")).toBeTruthy();
  expect(within(dialog.getByRole("region", { name: "To bravo" })).getByText("900 bytes")).toBeTruthy();
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.to).toEqual([
    { peer: "bravo", recipients: ["bruno"], estimated_mode: "sieve" },
    { peer: "charlie", recipients: ["anna"], estimated_mode: "secure-only" },
  ]);
});

test("people used last come first, and a unit finds them; namesakes can be told apart", async () => {
  const { dialog } = await opened(aDraft(), TWO_GATEWAYS);
  const field = await dialog.findByRole("combobox", { name: "Recipients" });
  await dialog.findByRole("button", { name: "Manage groups" });
  await userEvent.click(field);
  await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(4));
  expect(optionTexts().map((text) => text?.split("·")[0]?.trim())).toEqual([
    expect.stringContaining("Crisis team"),
    "Brunobruno",
    "Anna Berga.berg",
    "Anna Berganna",
  ]);
  expect(await screen.findByText("Two people are named Anna Berg. Check that you choose the right one.")).toBeTruthy();
  await userEvent.type(field, "archive");
  expect(optionTexts()).toEqual(["Anna Berganna · Archive · charlieNot cleared"]);
  await userEvent.keyboard("{Enter}");
  expect(dialog.getByLabelText("Anna Berg (Archive)")).toBeTruthy();
  expect(dialog.getByText("Two people are named Anna Berg. Check that you choose the right one.")).toBeTruthy();
});

test("saves the chosen people as a group", async () => {
  const groups = [CRISIS];
  const { dialog, asked } = await opened(aDraft(), {
    ...TWO_GATEWAYS,
    "GET /api/v1/recipient-groups": () => json(groups),
    "POST /api/v1/recipient-groups": () => {
      groups.push({ id: "g2", name: "Harbour", members: [] });
      return json(groups[1], 201);
    },
  });
  await choose(dialog, "bruno · Harbour office");
  expect(dialog.queryByRole("button", { name: "Save as a group" })).toBeNull();
  await choose(dialog, "Archive");
  await userEvent.click(dialog.getByRole("button", { name: "Save as a group" }));
  const save = within(await screen.findByRole("dialog", { name: "Save as a group" }));
  await userEvent.type(save.getByRole("textbox", { name: "Name of the group" }), "Harbour{Enter}");
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Save as a group" })).toBeNull());
  const made = asked.find(({ method, path }) => method === "POST" && path === "/api/v1/recipient-groups");
  expect(JSON.parse(made?.body ?? "")).toEqual({
    name: "Harbour",
    members: [
      { peer: "bravo", name: "bruno" },
      { peer: "charlie", name: "anna" },
    ],
  });
});

test("a group can be renamed, and its members added and removed", async () => {
  const { dialog, asked } = await opened(aDraft(), {
    ...TWO_GATEWAYS,
    "PATCH /api/v1/recipient-groups/g1": json({ ...CRISIS, name: "Harbour" }),
  });
  await userEvent.click(await dialog.findByRole("button", { name: "Manage groups" }));
  const manage = within(await screen.findByRole("dialog", { name: "Groups of recipients" }));
  const save = manage.getByRole("button", { name: "Save Crisis team" });
  expect(save).toHaveProperty("disabled", true);
  await userEvent.click(manage.getByRole("button", { name: "Remove gone at charlie" }));
  await userEvent.type(manage.getByRole("combobox", { name: "Members of Crisis team" }), "a.berg");
  await userEvent.click(await screen.findByRole("option", { name: /a\.berg/ }));
  const name = manage.getByRole("textbox", { name: "Name of Crisis team" });
  await userEvent.clear(name);
  await userEvent.type(name, "Harbour");
  await userEvent.click(save);
  await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
  expect(JSON.parse(asked.find(({ method }) => method === "PATCH")?.body ?? "")).toEqual({
    name: "Harbour",
    members: [
      { peer: "bravo", name: "bruno" },
      { peer: "charlie", name: "anna" },
      { peer: "bravo", name: "a.berg" },
    ],
  });
});

/** This gateway beside bravo, with a colleague. */
const WITH_OWN = {
  "GET /api/v1/recipients/gateways": json([{ name: "alpha", is_own: true }, BRAVO]),
  "GET /api/v1/peers/alpha/recipients": json({
    recipients: [{ name: "zoe", display_name: "Zoe", unit: "Archive", cleared: true }],
    as_of: null,
  }),
  "GET /api/v1/peers/alpha/plan": json({ ...PLAN, mode: "secure-only", plain_channels: 0, most_secure: 1 }),
};

test("colleagues come first, and nothing for them travels on the plain channel", async () => {
  const { dialog, sent } = await opened(aDraft({ classified_bytes: 0, plain_bytes: 1000 }), WITH_OWN);
  await userEvent.click(await dialog.findByRole("combobox", { name: "Recipients" }));
  await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(3));
  expect(optionTexts()[0]).toBe("Zoezoe · Archive · This gatewayCleared");
  await choose(dialog, "Zoe");
  const own = within(await dialog.findByRole("region", { name: "To people at this gateway" }));
  expect(await own.findByText(/The document stays inside this gateway\. Nothing is sent/)).toBeTruthy();
  expect(own.getByText("Nothing")).toBeTruthy();
  // Nothing is classified, but nothing is readable on the way either.
  expect(dialog.queryByRole("checkbox")).toBeNull();
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.to).toEqual([{ peer: "alpha", recipients: ["zoe"], estimated_mode: "secure-only" }]);
});

test("without a peer, the author can send to colleagues", async () => {
  const { dialog } = await opened(aDraft(), {
    ...WITH_OWN,
    "GET /api/v1/recipients/gateways": json([{ name: "alpha", is_own: true }]),
  });
  await choose(dialog, "Zoe");
  expect(dialog.getByRole("button", { name: "Send" })).toHaveProperty("disabled", false);
});

test("Ctrl+Enter sends, until the chosen time, which must be in the future", async () => {
  const { dialog, sent } = await opened();
  await choose(dialog, "Bruno");
  await userEvent.click(dialog.getByRole("button", { name: /^Options/ }));
  await userEvent.click(dialog.getByRole("combobox", { name: "Give up after" }));
  expect(await screen.findByRole("option", { name: "3 days (default)" })).toBeTruthy();
  await userEvent.click(screen.getByRole("option", { name: "A date and time" }));
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  expect(dialog.getByText("Choose a date and time.")).toBeTruthy();
  expect(document.activeElement).toBe(dialog.getByLabelText("Date and time"));
  expect(sent()).toEqual([]);
  await userEvent.click(dialog.getByRole("combobox", { name: "Give up after" }));
  await userEvent.click(await screen.findByRole("option", { name: "1 hour" }));
  await userEvent.click(dialog.getByRole("combobox", { name: "Recipients" }));
  await userEvent.keyboard("{Meta>}{Enter}{/Meta}");
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.deadline_s).toBe(3600);
});

test("Ctrl+Enter does not send from a menu of the dialog", async () => {
  const { dialog, sent } = await opened();
  await choose(dialog, "Bruno");
  await userEvent.click(dialog.getByRole("button", { name: /^Options/ }));
  await userEvent.click(dialog.getByRole("combobox", { name: "Give up after" }));
  (await screen.findByRole("option", { name: "1 hour" })).focus();
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  expect(sent()).toEqual([]);
});

test.each([
  ["on a button", (dialog: ReturnType<typeof within>) => dialog.getByRole("button", { name: "Cancel" }).focus()],
  ["lost", () => (document.activeElement as HTMLElement).blur()],
])("Ctrl+Enter sends while the focus is %s", async (_, move) => {
  const { dialog, sent } = await opened();
  await choose(dialog, "Bruno");
  act(() => move(dialog));
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(sent()).toHaveLength(1));
});

test("findings of a document that goes over the secure channel alone are in its redacted edition", async () => {
  const { dialog } = await opened(aDraft(), {
    "POST /api/v1/drafts/d1/check": json(FOUND),
    "GET /api/v1/peers/bravo/plan": json({ ...PLAN, mode: "secure-only", plain_channels: 0 }),
  });
  await choose(dialog, "Bruno");
  expect(await dialog.findByRole("heading", { name: "3 findings in the redacted edition" })).toBeTruthy();
  await userEvent.click(dialog.getByRole("button", { name: /^Options/ }));
  await userEvent.click(dialog.getByRole("radio", { name: /^Both channels/ }));
  expect(await dialog.findByRole("heading", { name: "3 findings in the plain part" })).toBeTruthy();
});

test("the recipients have the focus from the start, also once they are loaded", async () => {
  const { dialog } = await opened();
  const field = await dialog.findByRole("combobox", { name: "Recipients" });
  await waitFor(() => expect(document.activeElement).toBe(field));
});

test("what automatic will do is shown: nothing on the plain channel, so nothing needs to be confirmed", async () => {
  const { dialog, sent } = await opened(aDraft({ classified_bytes: 0, plain_bytes: 900 }), {
    "GET /api/v1/peers/bravo/plan": json({ ...PLAN, mode: "secure-only", plain_channels: 0 }),
  });
  expect(await dialog.findByText("Nothing")).toBeTruthy();
  expect(dialog.queryByText(/Nothing in this document is classified/)).toBeNull();
  await choose(dialog, "Bruno");
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.to).toEqual([{ peer: "bravo", recipients: ["bruno"], estimated_mode: "secure-only" }]);
});

test.each([
  ["asks an administrator", false, "Ask an admin to add people"],
  ["shows an admin the way", true, "Add people who can receive documents here"],
])("without a peer it %s", async (_, is_admin, sentence) => {
  const { dialog } = await opened(
    aDraft(),
    { "GET /api/v1/recipients/gateways": json([]), "GET /api/v1/peers": json([]) },
    somebody({ is_admin }),
  );
  expect(await dialog.findByText(new RegExp(sentence))).toBeTruthy();
  expect(dialog.queryByRole("link", { name: "Pair a gateway" }) !== null).toBe(is_admin);
  expect(dialog.queryByRole("button", { name: "Send" })).toBeNull();
});

// Several at once.

const HARBOUR = aDraft({ id: "d1", document_id: "s1", name: "Harbour plan.txt" });
const TIDES = aDraft({ id: "d2", document_id: "s2", name: "Tides.txt", classified_bytes: 0, plain_bytes: 1000 });
const STAFF = aDraft({ id: "d3", document_id: "s3", name: "staff.csv", media_type: "text/csv" });

/** The dialog for three documents; the page takes one out when it is asked to. */
async function openedFor(drafts: readonly DraftShown[], routes: Record<string, Answer> = {}) {
  const { asked } = fakeGateway({
    "GET /api/v1/recipients/gateways": json([BRAVO]),
    "GET /api/v1/peers/bravo/recipients": json({ recipients: [BRUNO, ROSA], as_of: null }),
    "GET /api/v1/peers/bravo/plan": json(PLAN),
    ...AROUND,
    "POST /api/v1/sends": json({ transfers: drafts.map(({ id }) => aTransfer({ id: `t-${id}` })) }, 202),
    ...Object.fromEntries(drafts.map(({ id }) => [`POST /api/v1/drafts/${id}/check`, json({ ...CLEAN, digest: id })])),
    ...routes,
  });
  function Several() {
    const [left, setLeft] = useState(drafts);
    return <Page drafts={left} onLeaveOut={(out) => setLeft(left.filter(({ id }) => id !== out.id))} />;
  }
  renderSignedIn(<Several />, somebody());
  const dialog = within(await screen.findByRole("dialog", { name: `Send ${drafts.length} documents` }));
  const sent = () => asked.filter(({ method, path }) => method === "POST" && !path.endsWith("/check"));
  return { dialog, asked, sent };
}

test("several go in one request, planned as one, with what nothing is classified in named", async () => {
  const { dialog, asked, sent } = await openedFor([HARBOUR, TIDES, STAFF]);
  await choose(dialog, "Bruno");
  expect(await dialog.findByText(/^Both channels should be faster.*This is for all documents together/)).toBeTruthy();
  await send(dialog);
  expect(sent()).toEqual([]);
  const sure = dialog.getByRole("checkbox", { name: "Send it unencrypted" });
  expect(dialog.getByText(/Nothing is classified in “Tides.txt”/)).toBeTruthy();
  await userEvent.click(sure);
  await send(dialog);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent().map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    [
      "/api/v1/sends",
      {
        ...{ document_ids: ["s1", "s2", "s3"], split: "range", mode: "auto" },
        to: [{ peer: "bravo", recipients: ["bruno"], estimated_mode: "sieve" }],
      },
    ],
  ]);
  expect(asked.some(({ path }) => path.includes("/plan?bytes=3000&classified=200&documents=3"))).toBe(true);
});

test("removing one of two documents sends the other alone", async () => {
  const { dialog, sent } = await openedFor([TIDES, STAFF, HARBOUR], {
    "POST /api/v1/sends": json({ transfers: [aTransfer()] }, 202),
  });
  await choose(dialog, "Bruno");
  await userEvent.click(dialog.getByRole("button", { name: "Remove Tides.txt" }));
  const next = await screen.findByRole("button", { name: "Remove staff.csv" });
  await waitFor(() => expect(document.activeElement).toBe(next));
  await userEvent.click(next);
  const left = within(await screen.findByRole("dialog", { name: "Send this document" }));
  await send(left);
  await waitFor(() => expect(sent().map(({ path }) => path)).toEqual(["/api/v1/sends"]));
});

test("findings of several are confirmed together, by one digest over all of them in their order", async () => {
  const { dialog, sent } = await openedFor([HARBOUR, STAFF, TIDES], {
    "POST /api/v1/drafts/d3/check": json({ ...FOUND, digest: "d3" }),
    "POST /api/v1/drafts/d1/check": json({ ...FOUND, count: 1, suggestions: [], findings: [FINDING], digest: "d1" }),
  });
  await choose(dialog, "Bruno");
  expect(
    await dialog.findByRole("heading", { name: "4 findings in the plain part, in 2 of 3 documents" }),
  ).toBeTruthy();
  const ofStaff = within(dialog.getByRole("list", { name: "Findings in staff.csv" }));
  expect(ofStaff.getByText("“Berg” is marked elsewhere (2 places)")).toBeTruthy();
  expect(dialog.getByRole("link", { name: "staff.csv" }).getAttribute("href")).toBe("/documents/d3");
  await userEvent.click(dialog.getByRole("checkbox"));
  await send(dialog);
  expect(sent()).toEqual([]);
  await userEvent.type(dialog.getByRole("textbox", { name: "Reason for sending them anyway" }), "Another Berg.");
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  const { confirm } = JSON.parse(sent()[0]?.body ?? "{}") as { confirm: unknown };
  // SHA-256 of "d1d3d2".
  expect(confirm).toEqual({
    findings_digest: "2ec8a8b96d24eb47a4bb3eae2c1b8200e25e71d7495030270ef9dc0e9458e0a6",
    reason: "Another Berg.",
  });
});

test("if one of several cannot go, none does, and the refusal names it", async () => {
  const { dialog } = await openedFor([HARBOUR, { ...STAFF, name: "staff $& co.csv" }], {
    "POST /api/v1/sends": refused(404, "nothing was sent: you have no such document: s3"),
  });
  await choose(dialog, "Bruno");
  await send(dialog);
  const alert = await dialog.findByRole("alert");
  expect(alert.textContent).toContain("None of the documents were sent.");
  expect(alert.textContent).toContain("you have no such document: “staff $& co.csv”.");
});
