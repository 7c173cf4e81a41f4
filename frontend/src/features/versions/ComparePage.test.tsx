import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { VersionShown } from "@/api/types";
import { aDraft } from "@/features/transfers/transfer.fixture";
import { type Answer, fakeGateway, json } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

function version(revision: number, change: Partial<VersionShown> = {}): VersionShown {
  return {
    revision,
    document_id: `save${revision}`,
    name: "plan.txt",
    format: "text",
    marks: null,
    document_bytes: 30,
    classified_bytes: 5,
    plain_bytes: 25,
    created_at: "2026-11-21T10:00:00Z",
    sent: [],
    ...change,
  };
}

function gateway(versions: VersionShown[], more: Record<string, Answer>) {
  return fakeGateway({
    "GET /api/v1/session": json(sessionOf(somebody())),
    "GET /api/v1/drafts/d1": json(aDraft({ id: "d1", name: "plan.txt" })),
    "GET /api/v1/drafts/d1/versions": json({ revision: versions[0]?.revision ?? 1, versions, stored_bytes: 90 }),
    ...more,
  });
}

const text =
  (marked: string): Answer =>
  () =>
    new Response(marked, { headers: { "Content-Type": "text/plain" } });

test("shows the words and marks that differ between any two versions of a text", async () => {
  gateway([version(3), version(2), version(1, { name: "draft.txt" })], {
    "GET /api/v1/documents/save1/content": text("Heron leaves at noon."),
    "GET /api/v1/documents/save2/content": text("<$S>Heron<$E> leaves at noon."),
    "GET /api/v1/documents/save3/content": text("Heron leaves at midnight."),
  });
  renderApp("/documents/d1/compare");
  await screen.findByText("1 word added, 1 word removed and 1 passage no longer marked.");
  const changes = within(screen.getByRole("region", { name: "Differences" }));
  expect(changes.getByText("midnight").tagName).toBe("INS");
  expect(changes.getByText("noon").tagName).toBe("DEL");
  await userEvent.click(screen.getByRole("combobox", { name: "After" }));
  await userEvent.click(await screen.findByRole("option", { name: /^Version 1/ }));
  await screen.findByText("Renamed from “plan.txt” to “draft.txt”.");
});

test("lists the marks that differ between two versions of a file", async () => {
  const file = { format: "csv", name: "ships.csv" } as const;
  const mark = (address: string) => ({ address, start: null, end: null, label: "", rule: "", reason: "" });
  gateway([version(2, file), version(1, file)], {
    "GET /api/v1/documents/save1/marks": json({ marks: [mark("row/1"), mark("row/2")], ranges: [] }),
    "GET /api/v1/documents/save2/marks": json({ marks: [mark("row/2"), mark("row/3")], ranges: [] }),
  });
  renderApp("/documents/d1/compare?from=1&to=2");
  const added = within(await screen.findByRole("region", { name: "Marks added" }));
  expect(added.getAllByRole("listitem")).toHaveLength(1);
  expect(within(screen.getByRole("region", { name: "Marks removed" })).getAllByRole("listitem")).toHaveLength(1);
});
