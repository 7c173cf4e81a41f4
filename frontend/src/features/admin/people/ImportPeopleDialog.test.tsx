import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ImportRow } from "@/api/people";
import * as saving from "@/lib/save-blob";
import { fakeGateway, json } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

const root = somebody({ id: "r", name: "root", display_name: "Root", is_admin: true });
const file = new File(["login,roles\n"], "people.csv", { type: "text/csv" });

function row(line: number, login: string, outcome: ImportRow["outcome"], more: Partial<ImportRow> = {}): ImportRow {
  return { line, login, outcome, before: {}, after: {}, reason: null, ...more };
}

const NEW = row(2, "zoe", "new", {
  after: { login: "zoe", name: "=Zoe", unit: "", mail: "", roles: "author recipient", cleared: "yes", disabled: "no" },
});
const CHANGED = row(3, "anna", "changed", { before: { unit: "Harbour" }, after: { unit: "" } });

async function choose(rows: ImportRow[], imported: () => Response = () => json({})) {
  const { asked } = fakeGateway({
    "GET /api/v1/session": json(sessionOf(root)),
    "GET /api/v1/people": json([root]),
    "GET /api/v1/session/confirmation": json({ confirmed: true }),
    "POST /api/v1/people/import": ({ path }) =>
      path.endsWith("?preview=true") ? json({ imported: false, digest: "d1", rows, links: [] }) : imported(),
  });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "Import" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Import people" }));
  await userEvent.upload(dialog.getByLabelText("CSV file"), file);
  await dialog.findByText("Unchanged");
  return { dialog, asked };
}

test("a preview shows what is new, changed and refused, and a refused row stops the import", async () => {
  const refused = row(4, "yan", "refused", { reason: "roles: “king” is not a role" });
  const { dialog, asked } = await choose([NEW, CHANGED, refused, row(5, "root", "unchanged")]);
  const [, ...shown] = dialog.getAllByRole("row");
  expect(shown.map((each) => within(each).getByRole("rowheader").textContent)).toEqual(["yan", "anna", "zoe"]);
  expect(dialog.getByText("Roles: “king” is not a role.")).toBeTruthy();
  expect(dialog.getByText("Unit: Harbour → none")).toBeTruthy();
  expect(dialog.getByText("=Zoe · author recipient · Cleared")).toBeTruthy();
  expect(dialog.getByText(/1 row is refused/)).toBeTruthy();
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Import" }).disabled).toBe(true);
  expect(asked.filter(({ path }) => path.includes("import"))).toHaveLength(1);
});

test("an import sends what was previewed, and shows the links of the new people once", async () => {
  const saved = vi.spyOn(saving, "saveBlob").mockImplementation(() => {});
  const link = { name: "zoe", display_name: "=Zoe", url: "/welcome#c0de", expires_at: "2026-12-01T00:00:00Z" };
  const { dialog, asked } = await choose([NEW, CHANGED], () =>
    json({ imported: true, digest: "d1", rows: [NEW, CHANGED], links: [link] }),
  );
  await userEvent.click(dialog.getByRole("button", { name: "Import 2 people" }));
  const links = within(await screen.findByRole("dialog", { name: "Links for the new people" }));
  expect(links.getByText(/\/welcome#c0de/)).toBeTruthy();
  expect(asked.some(({ path }) => path === "/api/v1/people/import?expected=d1")).toBe(true);
  await userEvent.click(links.getByRole("button", { name: "Save as CSV" }));
  const [blob, name] = saved.mock.calls[0] ?? [];
  expect(name).toBe("one-time-links.csv");
  expect(await blob?.text()).toContain('"zoe","\'=Zoe","http');
  await userEvent.click(links.getByRole("button", { name: "Done" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a file that is too large is not sent", async () => {
  const { asked } = fakeGateway({
    "GET /api/v1/session": json(sessionOf(root)),
    "GET /api/v1/people": json([root]),
    "GET /api/v1/session/confirmation": json({ confirmed: true }),
  });
  renderApp("/admin/people");
  await userEvent.click(await screen.findByRole("button", { name: "Import" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Import people" }));
  await userEvent.upload(dialog.getByLabelText("CSV file"), new File(["x".repeat(1_000_001)], "big.csv"));
  expect(await dialog.findByText(/larger than 1 MB/)).toBeTruthy();
  expect(asked.some(({ method }) => method === "POST")).toBe(false);
});
