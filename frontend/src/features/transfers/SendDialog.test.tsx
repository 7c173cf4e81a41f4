import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import type { DraftShown } from "@/api/types";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { SendDialog } from "./SendDialog";
import { aDraft, aTransfer } from "./transfer.fixture";

const BRAVO = { name: "bravo", state: "active" };
const BRUNO = { name: "bruno", display_name: "Bruno", cleared: true };
const ROSA = { name: "rosa", display_name: "Rosa", cleared: false };

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

function Page({ draft, findings }: { draft: DraftShown; findings: number }) {
  const [open, setOpen] = useState(true);
  return <SendDialog draft={draft} findings={findings} open={open} onOpenChange={setOpen} />;
}

async function opened(draft = aDraft(), routes: Record<string, Answer> = {}, person = somebody(), findings = 0) {
  const { asked } = fakeGateway({
    "GET /api/v1/peers": json([BRAVO]),
    "GET /api/v1/peers/bravo/recipients": json([BRUNO, ROSA]),
    "POST /api/v1/transfers": json(aTransfer(), 202),
    ...routes,
  });
  renderSignedIn(<Page draft={draft} findings={findings} />, person);
  const dialog = within(await screen.findByRole("dialog", { name: "Send this document" }));
  const sent = () =>
    asked.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return { dialog, sent };
}

async function choose(dialog: ReturnType<typeof within>, name: string) {
  await userEvent.type(await dialog.findByRole("combobox", { name: "Recipients" }), name);
  await userEvent.click(await screen.findByRole("option", { name: new RegExp(name) }));
}

const send = (dialog: ReturnType<typeof within>) => userEvent.click(dialog.getByRole("button", { name: "Send" }));

test("sends this save to those who were chosen, and says what the uncleared will see", async () => {
  const { dialog, sent } = await opened();
  await choose(dialog, "Bruno");
  expect(dialog.queryByText(/not cleared:/)).toBeNull();
  await choose(dialog, "Rosa");
  expect(dialog.getByText(/Rosa is not cleared: they will see markers/)).toBeTruthy();
  expect(dialog.getByText("100 bytes")).toBeTruthy();
  expect(dialog.getByText("900 bytes")).toBeTruthy();
  await send(dialog);
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent()).toEqual([{ document_id: "s1", peer: "bravo", recipients: ["bruno", "rosa"], mode: "sieve" }]);
});

test("sends to nobody by accident: not without recipients, and not by Enter", async () => {
  const { dialog, sent } = await opened();
  await dialog.findByRole("combobox", { name: "Recipients" });
  await send(dialog);
  expect(dialog.getByText("Choose at least one recipient.")).toBeTruthy();
  expect(document.activeElement).toBe(dialog.getByRole("combobox", { name: "Recipients" }));
  await choose(dialog, "Bruno");
  await userEvent.keyboard("{Enter}{Enter}");
  expect(sent()).toEqual([]);
});

test("what is wholly readable wants to be meant, on both channels", async () => {
  const { dialog, sent } = await opened(aDraft({ classified_bytes: 0, plain_bytes: 1000 }));
  await choose(dialog, "Bruno");
  await send(dialog);
  expect(dialog.getByRole("alert").textContent).toContain("Tick this if it is meant");
  expect(sent()).toEqual([]);
  await userEvent.click(dialog.getByRole("radio", { name: /Secure channel only/ }));
  expect(dialog.queryByText(/Nothing in it is classified/)).toBeNull();
  await userEvent.click(dialog.getByRole("radio", { name: /Both channels/ }));
  await userEvent.click(dialog.getByRole("checkbox"));
  await send(dialog);
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
});

test("what is marked here and unmarked there wants to be meant", async () => {
  const { dialog, sent } = await opened(aDraft(), {}, somebody(), 3);
  await choose(dialog, "Bruno");
  expect(dialog.getByText(/3 places hold unmarked text that is marked elsewhere/)).toBeTruthy();
  await send(dialog);
  expect(dialog.getByRole("alert").textContent).toContain("Tick this if it is meant");
  expect(sent()).toEqual([]);
  await userEvent.click(dialog.getByRole("checkbox", { name: "Send it with these places as they are" }));
  await send(dialog);
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
});

test("an empty document has nothing that could be read", async () => {
  const { dialog, sent } = await opened(aDraft({ document_bytes: 0, classified_bytes: 0, plain_bytes: 0 }));
  await choose(dialog, "Bruno");
  await send(dialog);
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
});

test("a peer that does not answer is named with its sentence, and asked again", async () => {
  let tries = 0;
  const { dialog } = await opened(aDraft(), {
    "GET /api/v1/peers/bravo/recipients": () =>
      ++tries === 1 ? refused(502, "bravo does not answer: no connection within 10 s") : json([BRUNO]),
  });
  const alert = await dialog.findByRole("alert");
  expect(alert.textContent).toContain("Bravo does not answer: no connection within 10 s.");
  expect(dialog.getByRole("button", { name: "Send" })).toHaveProperty("disabled", true);
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  expect(await dialog.findByRole("combobox", { name: "Recipients" })).toBeTruthy();
});

test("a refusal leaves what was chosen, and says why", async () => {
  const { dialog } = await opened(aDraft(), {
    "POST /api/v1/transfers": refused(422, "nobody named rosa can receive at bravo"),
  });
  await choose(dialog, "Rosa");
  await send(dialog);
  expect((await dialog.findByRole("alert")).textContent).toContain("Nobody named rosa can receive at bravo.");
  expect(dialog.getByText("Rosa")).toBeTruthy();
});

test("of several gateways none is guessed, but the last one is kept", async () => {
  const peers = { "GET /api/v1/peers": json([BRAVO, { name: "charlie", state: "active" }]) };
  const { dialog, sent } = await opened(aDraft(), peers);
  await userEvent.click(await dialog.findByRole("button", { name: "Send" }));
  expect(dialog.getByRole("alert").textContent).toBe("Choose where to send it.");
  expect(sent()).toEqual([]);
});

test("goes where the draft went last", async () => {
  const last = { id: "t0", peer: "bravo", state: "delivered", revision: 1, created_at: "2026-11-20T10:00:00Z" };
  const peers = { "GET /api/v1/peers": json([BRAVO, { name: "charlie", state: "active" }]) };
  const { dialog } = await opened(aDraft({ last_transfer: { ...last, delivered_at: null, reason: null } }), peers);
  expect(await dialog.findByRole("combobox", { name: "Recipients" })).toBeTruthy();
});

test.each([
  ["asks an administrator", false, "Ask an administrator to pair this gateway"],
  ["shows an admin the way", true, "Pair this gateway with the one"],
])("without a peer it %s", async (_, is_admin, sentence) => {
  const { dialog } = await opened(aDraft(), { "GET /api/v1/peers": json([]) }, somebody({ is_admin }));
  expect(await dialog.findByText(new RegExp(sentence))).toBeTruthy();
  expect(dialog.queryByRole("link", { name: "Pair a gateway" }) !== null).toBe(is_admin);
  expect(dialog.queryByRole("button", { name: "Send" })).toBeNull();
});
