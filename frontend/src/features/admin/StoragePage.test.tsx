import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { fakeGateway, json } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";

const rule = { setting: null, oldest_at: null, next_run: null, next_day: null };
const storage = {
  measured_at: "2026-11-21T10:00:00Z",
  disks: [{ holds: ["database", "documents"], total_bytes: 500e9, free_bytes: 112e9, is_low: false }],
  database: { bytes: 9e6, free_bytes: 1e6, timing_records: 1200, timing_marks: 5, audit_entries: 1 },
  documents: [{ origin: "received", documents: 3, plain_bytes: 4e6, sealed_bytes: 1e6 }],
  partials: { files: 1, bytes: 2e6 },
  quarantine: { files: 0, bytes: 0 },
  backup: null as object | null,
  retention: [
    { ...rule, kind: "received", kept_s: null, setting: "SIEVE_RETENTION_DAYS", next_run: 0, next_day: 0 },
    { ...rule, kind: "deleted", kept_s: 2_592_000, setting: "SIEVE_DELETED_DAYS", next_run: 2, next_day: 1200 },
    { ...rule, kind: "partials", kept_s: 43_200 },
    { ...rule, kind: "audit", kept_s: null, oldest_at: "2020-01-01T00:00:00Z" },
  ],
};
const session = json(sessionOf(somebody({ is_admin: true })));

test("says what takes space, what is free and how long everything is kept", async () => {
  fakeGateway({ "GET /api/v1/session": session, "GET /api/v1/storage": json(storage) });
  renderApp("/admin/storage");
  expect(await screen.findByText("112 GB free of 500 GB")).toBeTruthy();
  expect(screen.getByText("sieve backup DIR")).toBeTruthy();
  const use = within(screen.getByRole("table", { name: "What takes space" }));
  const received = within(use.getByRole("row", { name: /Received documents/ }));
  expect(received.getByText("3 documents")).toBeTruthy();
  expect(received.getByText("4 MB plain, 1 MB sealed")).toBeTruthy();
  expect(use.getByText("about 1,200 entries")).toBeTruthy();
  const kept = within(screen.getByRole("table", { name: "How long it is kept" }));
  const texts = (row: RegExp) =>
    within(kept.getByRole("row", { name: row }))
      .getAllByRole("cell")
      .map(({ lastElementChild }) => lastElementChild?.textContent);
  expect(texts(/Received/)).toEqual(["Until deleted", "SIEVE_RETENTION_DAYS", "–", "0", "0"]);
  expect(texts(/Deleted/)).toEqual(["30 days", "SIEVE_DELETED_DAYS", "–", "2", "1,200"]);
  expect(texts(/Incomplete/)).toEqual(["12 hours", "Fixed", "–", "–", "–"]);
  expect(texts(/Audit/)).toEqual(["Forever", "Fixed", expect.stringMatching(/ago$/), "–", "–"]);
});

test("warns of a full disk and of a damaged backup", async () => {
  const [disk] = storage.disks;
  const backup = { taken_at: "2026-11-21T10:00:00Z", bytes: 7e6, damaged: 2 };
  const full = { ...storage, disks: [{ ...disk, holds: ["documents"], is_low: true }], backup };
  fakeGateway({ "GET /api/v1/session": session, "GET /api/v1/storage": json(full) });
  renderApp("/admin/storage");
  expect(await screen.findByText(/^Little space is left/)).toBeTruthy();
  expect(screen.getByText("Disk of the documents")).toBeTruthy();
  expect(screen.getByText(/^2 files of documents were missing/)).toBeTruthy();
});
