import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { json } from "@/test/fake-gateway";
import { BRAVO, BRUNO, choose, opened, PLAN, send } from "./send-dialog.fixture";
import { aDraft } from "./transfer.fixture";

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
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
