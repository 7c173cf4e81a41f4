import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { fakeGateway, json } from "@/test/fake-gateway";
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
        queue("bravo", { last_delivered_at: "2026-11-21T10:00:00Z" }),
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
  expect(bravo.getByText(/ago$/)).toBeTruthy();
});
