import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { empty, fakeGateway, json } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

const peer = (name: string) => ({
  name,
  state: "active",
  secure_url: "https://peer.example:8443",
  plain_url: "http://peer.example:8081",
  pins: ["ab".repeat(32)],
  receipt_key: "cd".repeat(32),
});

const queue = (name: string, change: object) => ({
  name,
  state: "active",
  breaker_open_until: null,
  failures: 0,
  waiting: 0,
  oldest_waiting_s: null,
  last_delivered_at: null,
  ...change,
});

test("says how sending to each peer goes", async () => {
  fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody({ is_admin: true }))),
    "GET /api/v1/peers": json([peer("bravo"), peer("charlie")]),
    "GET /api/v1/timings/queue": json({
      peers: [
        queue("charlie", {
          breaker_open_until: "2026-11-21T10:00:00Z",
          failures: 3,
          waiting: 2,
          oldest_waiting_s: 90,
        }),
        queue("bravo", { last_delivered_at: new Date(Date.now() - 3 * 3_600_000).toISOString() }),
      ],
    }),
  });
  renderApp("/admin/peers");
  const charlie = within(await screen.findByRole("article", { name: "charlie" }));
  expect(await charlie.findByText(/^Paused until .*, after 3 failures in a row$/)).toBeTruthy();
  expect(charlie.getByText(/^2 documents, the oldest for 1 min 30 s$/)).toBeTruthy();
  expect(charlie.getByText("Nothing yet")).toBeTruthy();
  const bravo = within(screen.getByRole("article", { name: "bravo" }));
  expect(bravo.getByText("No failures since the last success")).toBeTruthy();
  expect(bravo.getByText("No documents")).toBeTruthy();
  expect(bravo.getByText("3 hours ago")).toBeTruthy();
});

const contact = (name: string, change: object) => ({
  name,
  last_seen_at: null,
  reached_at: null,
  heard_at: null,
  latency_ms: null,
  certificate_until: null,
  protocol: null,
  ...change,
});

test("compares peers in a table that sorts, and warns of certificates that expire soon", async () => {
  const soon = new Date(Date.now() + 10.5 * 86_400_000).toISOString();
  const later = new Date(Date.now() + 400.5 * 86_400_000).toISOString();
  fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody({ is_admin: true }))),
    "GET /api/v1/peers": json([peer("bravo"), peer("charlie")]),
    "GET /api/v1/timings/queue": json({ peers: [] }),
    "GET /api/v1/peer-contacts": json({
      own_certificate_until: later,
      peers: [
        contact("bravo", { latency_ms: 12.5, certificate_until: soon, protocol: 2 }),
        contact("charlie", { last_seen_at: "2026-01-01T00:00:00Z", latency_ms: 3 }),
      ],
    }),
  });
  renderApp("/admin/peers");
  const table = within(await screen.findByRole("table", { name: "2 peers at a glance" }));
  const names = () => table.getAllByRole("rowheader").map(({ textContent }) => textContent);
  const bravo = within(await table.findByRole("row", { name: /^bravo/ }));
  expect(await bravo.findByText("10 days left")).toBeTruthy();
  expect(bravo.getByText("12.5 ms")).toBeTruthy();
  expect(bravo.getByText("Not yet")).toBeTruthy();
  expect(table.getByText(/ago$/)).toBeTruthy();
  expect(screen.getByText("400 days left")).toBeTruthy();
  expect(names()).toEqual(["bravo", "charlie"]);
  await userEvent.click(table.getByRole("button", { name: "Latency" }));
  const once = names();
  await userEvent.click(table.getByRole("button", { name: "Latency" }));
  expect(names()).toEqual([...once].reverse());
});

test("a connection test is the latency, as long as no other is known", async () => {
  fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody({ is_admin: true }))),
    "GET /api/v1/peers": json([peer("bravo")]),
    "GET /api/v1/timings/queue": json({ peers: [] }),
    "GET /api/v1/peer-contacts": json({ own_certificate_until: null, peers: [contact("bravo", {})] }),
    "POST /api/v1/peers/bravo/test": json({ name: "bravo", latency_ms: 167, versions: [2], max_document_bytes: 1 }),
  });
  renderApp("/admin/peers");
  const bravo = within(await screen.findByRole("article", { name: "bravo" }));
  expect(await bravo.findByText("Not measured yet")).toBeTruthy();
  await userEvent.click(bravo.getByRole("button", { name: "Test connection" }));
  expect(await bravo.findByText("bravo answered in 167 ms.")).toBeTruthy();
  expect(bravo.getByText("167 ms (connection test)")).toBeTruthy();
  expect(bravo.queryByText("Not measured yet")).toBeNull();
});

test("a new invitation is confirmed once, after a confirmation of who confirms it", async () => {
  let confirmed = false;
  const { asked } = fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody({ is_admin: true }))),
    "GET /api/v1/session/confirmation": () => json({ confirmed, methods: { password: true } }),
    "POST /api/v1/session/confirmation": () => {
      confirmed = true;
      return empty();
    },
    "GET /api/v1/peers": json([peer("bravo")]),
    "POST /api/v1/peers/bravo/renewal-code": json({ name: "bravo", code: "1111 2222 3333" }),
    "POST /api/v1/peers/bravo/renew": json(peer("bravo")),
  });
  const user = userEvent.setup();
  renderApp("/admin/peers");
  await user.click(await screen.findByRole("button", { name: "Actions for bravo" }));
  await user.click(await screen.findByRole("menuitem", { name: /invitation/ }));
  const dialog = within(await screen.findByRole("dialog", { name: "New invitation from bravo" }));
  await user.type(dialog.getByRole("textbox"), "sieve-invitation");
  await user.click(dialog.getByRole("button", { name: "Show code" }));
  await dialog.findByText("1111 2222 3333");
  await user.type(dialog.getByLabelText(/^Code read out by bravo/), "4444 5555 6666");
  await user.click(dialog.getByRole("button", { name: "Confirm" }));
  const proof = within(await screen.findByRole("dialog", { name: "Confirm that it is you" }));
  await user.type(proof.getByLabelText("Password"), "correct horse battery");
  await user.click(proof.getByRole("button", { name: "Confirm" }));
  expect(await screen.findByText("New key added for bravo")).toBeTruthy();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(asked.filter(({ path }) => path.endsWith("/renew"))).toHaveLength(1);
});
