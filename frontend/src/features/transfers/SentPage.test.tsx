import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import { aTransfer } from "./transfer.fixture";

const base = {
  "GET /api/v1/session": json(sessionOf(somebody())),
  "GET /api/v1/peers": json([{ name: "bravo", state: "active" }]),
  "GET /api/v1/gateway": json({ name: "alpha" }),
  "GET /api/v1/transfers/counts": json({ transfers: 312, bytes: 1_200_000_000, more: false }),
};
const listOf = (asked: { path: string }[]) =>
  asked
    .filter(({ path }) => path.startsWith("/api/v1/transfers?"))
    .map(({ path }) => new URLSearchParams(path.split("?")[1]));

afterEach(() => void vi.useRealTimers());

test("an author without transfers sees how to send", async () => {
  fakeGateway({ ...base, "GET /api/v1/transfers": json({ items: [], next: null }) });
  renderApp("/sent");
  expect(await screen.findByText("You have not sent anything yet")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Open my documents" }).getAttribute("href")).toBe("/documents");
});

test("takes filters from the address and puts them there", async () => {
  const { asked } = fakeGateway({
    ...base,
    "GET /api/v1/transfers": json({ items: [aTransfer({ state: "failed", reason: "bravo was removed" })], next: null }),
  });
  renderApp("/sent?state=failed&search=plan");
  const row = within(await screen.findByRole("listitem"));
  expect(row.getByRole("link", { name: "Harbour plan.txt" }).getAttribute("href")).toBe("/sent/t1");
  expect(row.getByText(/Failed/).textContent).toBe("Failed: bravo was removed");
  expect(Object.fromEntries(listOf(asked)[0] ?? [])).toEqual({ search: "plan", state: "failed", limit: "50" });
  await userEvent.click(screen.getByRole("combobox", { name: "State" }));
  await userEvent.click(await screen.findByRole("option", { name: "Any state" }));
  await waitFor(() => expect(window.location.search).toBe("?search=plan"));
  expect(listOf(asked).at(-1)?.get("state")).toBeNull();
});

test("says with how many others a document was sent", async () => {
  const plan = (batch: number | null) => ({ ...aTransfer().plan, batch });
  const items = [5, 2, null].map((batch, at) => aTransfer({ id: `t${at}`, plan: plan(batch) }));
  fakeGateway({ ...base, "GET /api/v1/transfers": json({ items, next: null }) });
  renderApp("/sent");
  const rows = await screen.findAllByRole("listitem");
  const told = rows.map((row) => within(row).getByText(/^To Bruno Bauer/).textContent);
  expect(told).toEqual(
    [", with 4 other documents", ", with 1 other document", ""].map(
      (end) => `To Bruno Bauer and Rosa Rossi at bravo${end}`,
    ),
  );
});

test("an author who is also an admin sees only their own transfers", async () => {
  const { asked } = fakeGateway({
    ...base,
    "GET /api/v1/session": json(sessionOf(somebody({ is_admin: true }))),
    "GET /api/v1/transfers": json({ items: [aTransfer()], next: null }),
  });
  renderApp("/sent");
  await screen.findByRole("listitem");
  expect(listOf(asked)[0]?.get("author")).toBe("ada");
});

test("loads more, without showing anything twice", async () => {
  const { asked } = fakeGateway({
    ...base,
    "GET /api/v1/transfers": ({ path }) =>
      path.includes("after=p2")
        ? json({ items: [aTransfer(), aTransfer({ id: "t0", name: "Older.txt" })], next: null })
        : json({ items: [aTransfer()], next: "p2" }),
  });
  renderApp("/sent");
  await userEvent.click(await screen.findByRole("button", { name: "Show more" }));
  await screen.findByRole("link", { name: "Older.txt" });
  expect(screen.getAllByRole("listitem")).toHaveLength(2);
  // While nothing is live, the pages are asked for again and again.
  expect(new Set(listOf(asked).map((query) => query.get("after")))).toEqual(new Set([null, "p2"]));
});

test("a list that cannot be loaded shows the reason and retries", async () => {
  let tries = 0;
  fakeGateway({
    ...base,
    "GET /api/v1/transfers": () =>
      ++tries === 1 ? refused(500, "a stored file is damaged") : json({ items: [aTransfer()], next: null }),
  });
  renderApp("/sent");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("A stored file is damaged.");
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("listitem")).toBeTruthy();
});

test("filters that fit nothing can be taken away", async () => {
  fakeGateway({
    ...base,
    "GET /api/v1/transfers": ({ path }) => json({ items: path.includes("search=") ? [] : [aTransfer()], next: null }),
  });
  renderApp("/sent?search=nothing");
  await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
  expect(await screen.findByRole("listitem")).toBeTruthy();
});

test("goes on with a search that has found nothing yet", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  fakeGateway({
    ...base,
    "GET /api/v1/transfers": ({ path }) => {
      vi.advanceTimersByTime(1500);
      return path.includes("after=p2") ? json({ items: [aTransfer()], next: null }) : json({ items: [], next: "p2" });
    },
  });
  renderApp("/sent?search=pl");
  await screen.findByText("Nothing found yet");
  expect(screen.queryByText("No documents match these filters")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Search further" }));
  expect(await screen.findByRole("listitem")).toBeTruthy();
});

test("says of a long list that it has more than were counted, and does not offer to choose all", async () => {
  fakeGateway({
    ...base,
    "GET /api/v1/transfers": json({ items: [aTransfer({ id: "t0" }), aTransfer({ id: "t1" })], next: "p2" }),
    "GET /api/v1/transfers/counts": json({ transfers: 10_000, bytes: null, more: true }),
  });
  renderApp("/sent");
  await screen.findByText(/^At least 10,000 transfers\./);
  await userEvent.click(screen.getByRole("checkbox", { name: "Select all" }));
  const bar = within(screen.getByRole("region", { name: "Selected documents" }));
  await bar.findByRole("checkbox", { name: "2 documents selected" });
  expect(bar.queryByRole("button", { name: /^Choose all/ })).toBeNull();
});

test("sorts, and cancels all that match after a question", async () => {
  const user = userEvent.setup();
  const ids = Array.from({ length: 312 }, (_, at) => `t${at}`);
  const { asked } = fakeGateway({
    ...base,
    "GET /api/v1/transfers": json({ items: [aTransfer({ id: "t0" }), aTransfer({ id: "t1" })], next: "p2" }),
    "GET /api/v1/transfers/ids": json({ ids }),
    "POST /api/v1/transfers/changes": json({ ids: ids.slice(0, 3) }, 202),
  });
  renderApp("/sent?sort=size");
  await screen.findByText(/^312 transfers, 1.2 GB\./);
  expect(listOf(asked)[0]?.get("sort")).toBe("size");
  await user.click(screen.getByRole("checkbox", { name: "Select all" }));
  const bar = within(screen.getByRole("region", { name: "Selected documents" }));
  await user.click(bar.getByRole("button", { name: "Choose all 312" }));
  await bar.findByRole("checkbox", { name: "312 documents selected" });
  await user.click(bar.getByRole("button", { name: "Cancel transfers" }));
  const question = within(await screen.findByRole("alertdialog", { name: "Cancel 312 transfers?" }));
  await user.click(question.getByRole("button", { name: "Cancel transfers" }));
  await screen.findByText("3 transfers cancelled");
  await screen.findByText("309 transfers could not be cancelled any more.");
  const sent = asked.find(({ path }) => path === "/api/v1/transfers/changes");
  expect(JSON.parse(String(sent?.body))).toEqual({ ids, change: "cancel" });
});
