import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
import { somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import {
  AROUND,
  BRAVO,
  BRUNO,
  CLEAN,
  choose,
  FINDING,
  FOUND,
  opened,
  Page,
  PLAN,
  ROSA,
  send,
} from "./send-dialog.fixture";
import { aDraft, aTransfer } from "./transfer.fixture";

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

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

test("Ctrl+Enter sends nothing to people whom their gateway has not listed yet, and says so", async () => {
  let answer = (_: Response) => {};
  const { dialog, sent } = await opened(
    aDraft({
      reply_to: {
        ...{ entry_id: "e1", document: "Berths.txt" },
        ...{ peer: "bravo", recipient: "bruno", recipient_name: "Bruno" },
      },
    }),
    { "GET /api/v1/peers/bravo/recipients": () => new Promise<Response>((resolve) => (answer = resolve)) },
  );
  await dialog.findByRole("button", { name: "Remove Bruno" });
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  expect(await dialog.findByText(/^Could not check yet who can receive\./)).toBeTruthy();
  answer(json({ recipients: [BRUNO], as_of: null }));
  await dialog.findByText("Cleared");
  expect(dialog.queryByText(/^Could not check yet who can receive\./)).toBeNull();
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
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

test("people whom a gateway named last are offered at once, while it is asked again", async () => {
  let answer = (_: Response) => {};
  const { dialog, sent } = await opened(aDraft(), {
    "GET /api/v1/peers/bravo/recipients": () => new Promise<Response>((resolve) => (answer = resolve)),
    "GET /api/v1/peers/bravo/recipients/known": json({ recipients: [BRUNO], as_of: "2026-11-22T19:04:00Z" }),
  });
  await choose(dialog, "Bruno");
  expect(dialog.queryByText(/does not answer|Loading recipients/)).toBeNull();
  answer(json({ recipients: [BRUNO, ROSA], as_of: null }));
  await choose(dialog, "Rosa");
  await send(dialog);
  await waitFor(() => expect(sent()[0]?.to).toEqual([expect.objectContaining({ recipients: ["bruno", "rosa"] })]));
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
