import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { fakeGateway, json } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

const session = { "GET /api/v1/session": json(sessionOf(somebody({ is_admin: true }))) };

const entry = (id: string, change: object = {}) => ({
  id,
  at: "2026-11-21T10:00:00Z",
  actor: "anna",
  action: "findings-confirmed",
  subject: `t-${id}`,
  details: { findings: 3, peer: "bravo" },
  reason: null,
  ...change,
});

test("lists who did what and why with links, and loads earlier entries", async () => {
  fakeGateway({
    ...session,
    "GET /api/v1/audit": ({ path }) =>
      path.includes("after=")
        ? json({ items: [entry("b"), entry("c", { action: "peer-removed", subject: "charlie" })], next: null })
        : json({ items: [entry("a", { reason: "Another Berg." }), entry("b")], next: "a page on" }),
  });
  renderApp("/admin/audit");
  const first = within((await screen.findAllByRole("row"))[1] as HTMLElement);
  expect(first.getByRole("rowheader").textContent).toContain("anna sent a document to bravo with 3 findings");
  expect(first.getByText("Another Berg.")).toBeTruthy();
  expect(first.getByRole("link", { name: "Show the transfer" }).getAttribute("href")).toBe("/sent/t-a");
  await userEvent.click(screen.getByRole("button", { name: "Show more" }));
  await screen.findByText(/removed peer charlie/);
  expect(screen.getAllByRole("row")).toHaveLength(4);
});

test("checks the log and shows what was changed", async () => {
  const { routes } = fakeGateway({
    ...session,
    "GET /api/v1/audit": json({ items: [entry("a")], next: null }),
    "GET /api/v1/audit/chain": json({ entries: 1203, head: "1203:8a0c", problems: [], known: [] }),
  });
  renderApp("/admin/audit");
  const check = await screen.findByRole("button", { name: "Check log" });
  await userEvent.click(check);
  await screen.findByText("None of the 1,203 entries has been changed.");
  const broken = { entries: 1202, head: "1202:77ab", problems: ["entry 17 is missing"], known: [] };
  routes["GET /api/v1/audit/chain"] = json(broken);
  await userEvent.click(check);
  expect((await screen.findByRole("alert")).textContent).toContain("Entry 17 is missing.");
  routes["GET /api/v1/audit/chain"] = json({ ...broken, problems: [], known: broken.problems });
  await userEvent.click(check);
  await screen.findByText(/since an admin continued the log/);
  expect(screen.getByText("Entry 17 is missing.")).toBeTruthy();
});

test("filters are in the address, the requests and the exports", async () => {
  const { asked } = fakeGateway({
    ...session,
    "GET /api/v1/people": json([]),
    "GET /api/v1/audit": json({ items: [], next: null }),
  });
  renderApp("/admin/audit?kind=sign-ins&actor=anna&since=2026-11-20&until=2026-11-20&search=alpha");
  await screen.findByText("No entries match these filters");
  const since = new Date(2026, 10, 20).toISOString();
  const until = new Date(2026, 10, 21).toISOString();
  const link = screen.getByRole("link", { name: "Export as JSON Lines" }).getAttribute("href") ?? "";
  const wanted = { search: "alpha", actor: "anna", kind: "sign-ins", since, until };
  expect(Object.fromEntries(new URL(link, "http://gateway").searchParams)).toEqual({ ...wanted, format: "jsonl" });
  const listed = asked.filter(({ path }) => path.startsWith("/api/v1/audit?")).at(-1)?.path ?? "";
  expect(Object.fromEntries(new URL(listed, "http://gateway").searchParams)).toEqual({ ...wanted, limit: "50" });
  await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
  await screen.findByText("No entries yet");
});

test("is for admins", async () => {
  fakeGateway({ "GET /api/v1/session": json(sessionOf(somebody())) });
  renderApp("/admin/audit");
  expect(await screen.findByText(/This page is for admins/)).toBeTruthy();
});
