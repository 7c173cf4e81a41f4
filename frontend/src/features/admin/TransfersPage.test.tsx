import { screen, within } from "@testing-library/react";
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
};

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
  expect(row.getByText("estimate 290 ms").parentElement?.textContent).toBe("Response 338 ms, estimate 290 ms");
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
