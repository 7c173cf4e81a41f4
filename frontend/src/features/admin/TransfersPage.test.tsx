import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { anEstimate, aTransfer, TIMINGS } from "@/features/transfers/transfer.fixture";
import { fakeGateway, json } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

const root = somebody({ name: "root", is_admin: true, is_author: false, is_recipient: false });
const base = {
  "GET /api/v1/session": json(sessionOf(root)),
  "GET /api/v1/peers": json([{ name: "bravo", state: "active" }]),
  "GET /api/v1/gateway": json({ name: "alpha" }),
  "GET /api/v1/people": json([somebody({ name: "anna", display_name: "Anna" })]),
  "GET /api/v1/transfers/counts": json({ transfers: 1, bytes: 1200, more: false }),
  "GET /api/v1/received": json({ items: [], next: null }),
  "GET /api/v1/received/counts": json({ documents: 1, bytes: 5000, more: false }),
  "GET /api/v1/received/incomplete": json([]),
};

const received = {
  id: "r1",
  transfer_id: "t9",
  name: "Harbour plan.md",
  peer: "bravo",
  sender: "Berta",
  mode: "sieve",
  document_bytes: 5000,
  classified_bytes: 1000,
  plain_bytes: 4000,
  received_at: "2026-11-21T10:00:00Z",
  stored_ms: 338,
  cipher: "TLS_AES_256_GCM_SHA384",
  key_exchange: "x25519",
  document_deleted_at: null,
  recipients: [
    { name: "anna", display_name: "Anna", opened_at: "2026-11-21T10:05:00Z", deleted: false },
    { name: "bruno", display_name: "Bruno", opened_at: null, deleted: false },
    { name: "rosa", display_name: "Rosa", opened_at: null, deleted: true },
  ],
};

test("says of a long list that it has more than were counted", async () => {
  fakeGateway({
    ...base,
    "GET /api/v1/transfers": json({ items: [aTransfer()], next: "p2" }),
    "GET /api/v1/transfers/counts": json({ transfers: 10_000, bytes: null, more: true }),
  });
  renderApp("/admin/transfers");
  expect(await screen.findByText("At least 10,000 documents")).toBeTruthy();
});

test("lists all transfers with their timings and estimates", async () => {
  const sent = aTransfer({ author: "anna", state: "delivered", timings: TIMINGS });
  const { asked } = fakeGateway({
    ...base,
    "GET /api/v1/transfers": json({
      items: [{ ...sent, plan: { ...sent.plan, estimate: anEstimate({ predicted_ms: 290 }) } }],
      next: null,
    }),
  });
  renderApp("/admin/transfers?author=anna&since=2026-11-20&state=nonsense");
  const row = within(await screen.findByRole("row", { name: /Harbour plan/ }));
  expect(row.getByRole("link", { name: "Harbour plan.txt" }).getAttribute("href")).toBe("/sent/t1");
  expect(row.getByText(/^Ada Ahlberg/)).toBeTruthy();
  expect(within(row.getByRole("table", { name: "Timing of Harbour plan.txt" })).getByText("310 ms")).toBeTruthy();
  expect(row.getByText("estimate 290 ms").title).toBe("Response 338 ms, estimate 290 ms");
  const query = new URLSearchParams(
    asked.find(({ path }) => path.startsWith("/api/v1/transfers?"))?.path.split("?")[1],
  );
  expect(Object.fromEntries(query)).toEqual({
    author: "anna",
    since: new Date("2026-11-20T00:00:00").toISOString(),
    limit: "50",
  });
});

test("nothing yet is no failure", async () => {
  fakeGateway({ ...base, "GET /api/v1/transfers": json({ items: [], next: null }) });
  renderApp("/admin/transfers");
  expect(await screen.findByText("No transfers yet")).toBeTruthy();
});

test("lists received documents with who opened them, how much is classified and how long they took", async () => {
  const { asked } = fakeGateway({ ...base, "GET /api/v1/received": json({ items: [received], next: null }) });
  renderApp("/admin/transfers?view=received&recipient=anna&sort=size");
  const row = within(await screen.findByRole("row", { name: /Harbour plan/ }));
  expect(row.getByText("Berta at bravo")).toBeTruthy();
  const [anna, bruno, rosa] = row.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(anna).toMatch(/^Anna \(opened .+\)$/);
  expect([bruno, rosa]).toEqual(["Bruno (not opened)", "Rosa (deleted unopened)"]);
  for (const text of ["5 KB", "20 %", "338 ms"]) expect(row.getByText(text)).toBeTruthy();
  expect(await screen.findByText("1 document, 5 KB in total")).toBeTruthy();
  const query = new URLSearchParams(asked.find(({ path }) => path.startsWith("/api/v1/received?"))?.path.split("?")[1]);
  expect(Object.fromEntries(query)).toEqual({ recipient: "anna", sort: "size", limit: "50" });
  expect(screen.queryByText("Incomplete documents")).toBeNull();
});

test("one received document, as the timings link to it, and the way to all", async () => {
  const { asked } = fakeGateway({ ...base, "GET /api/v1/received": json({ items: [received], next: null }) });
  renderApp("/admin/transfers?view=received&transfer=t9");
  expect(await screen.findByRole("row", { name: /Harbour plan/ })).toBeTruthy();
  const lists = () => asked.filter(({ path }) => path.startsWith("/api/v1/received?")).map(({ path }) => path);
  expect(lists()).toEqual(["/api/v1/received?transfer=t9&limit=50"]);
  await userEvent.click(screen.getByRole("button", { name: "Show all received documents" }));
  await waitFor(() => expect(lists()).toEqual([expect.anything(), "/api/v1/received?limit=50"]));
  expect(window.location.search).toBe("?view=received");
});

test("shows what arrived in part above an empty list", async () => {
  const incomplete = {
    transfer_id: "ab".repeat(16),
    peer: "bravo",
    bytes: 5_000_000,
    held_bytes: 1_200_000,
    arriving: false,
    last_byte_at: "2026-11-21T10:00:00Z",
    kept_until: "2026-11-22T10:00:00Z",
  };
  fakeGateway({ ...base, "GET /api/v1/received/incomplete": json([incomplete]) });
  renderApp("/admin/transfers");
  await userEvent.click(await screen.findByRole("button", { name: "Received" }));
  expect(await screen.findByText("1.2 MB of 5 MB")).toBeTruthy();
  expect(screen.getByText("Waiting for the next attempt")).toBeTruthy();
  expect(screen.getByText("Nothing received yet")).toBeTruthy();
});
