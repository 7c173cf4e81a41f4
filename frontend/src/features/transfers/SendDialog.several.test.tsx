import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import type { DraftShown } from "@/api/types";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { somebody } from "@/test/people";
import { renderSignedIn } from "@/test/render";
import { AROUND, BRAVO, BRUNO, CLEAN, choose, FINDING, FOUND, Page, PLAN, ROSA, send } from "./send-dialog.fixture";
import { aDraft, aTransfer } from "./transfer.fixture";

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
});

const HARBOUR = aDraft({ id: "d1", document_id: "s1", name: "Harbour plan.txt" });
const TIDES = aDraft({ id: "d2", document_id: "s2", name: "Tides.txt", classified_bytes: 0, plain_bytes: 1000 });
const STAFF = aDraft({ id: "d3", document_id: "s3", name: "staff.csv", media_type: "text/csv" });

/** The dialog for three documents; the page takes one out when it is asked to. */
async function openedFor(drafts: readonly DraftShown[], routes: Record<string, Answer> = {}) {
  const { asked } = fakeGateway({
    "GET /api/v1/recipients/gateways": json([BRAVO]),
    "GET /api/v1/peers/bravo/recipients": json({ recipients: [BRUNO, ROSA], as_of: null }),
    "GET /api/v1/peers/bravo/plan": json(PLAN),
    ...AROUND,
    "POST /api/v1/sends": json({ transfers: drafts.map(({ id }) => aTransfer({ id: `t-${id}` })) }, 202),
    ...Object.fromEntries(drafts.map(({ id }) => [`POST /api/v1/drafts/${id}/check`, json({ ...CLEAN, digest: id })])),
    ...routes,
  });
  function Several() {
    const [left, setLeft] = useState(drafts);
    return <Page drafts={left} onLeaveOut={(out) => setLeft(left.filter(({ id }) => id !== out.id))} />;
  }
  renderSignedIn(<Several />, somebody());
  const dialog = within(await screen.findByRole("dialog", { name: `Send ${drafts.length} documents` }));
  const sent = () => asked.filter(({ method, path }) => method === "POST" && !path.endsWith("/check"));
  return { dialog, asked, sent };
}

test("several go in one request, planned as one, with what nothing is classified in named", async () => {
  const { dialog, asked, sent } = await openedFor([HARBOUR, TIDES, STAFF]);
  await choose(dialog, "Bruno");
  expect(await dialog.findByText(/^Both channels should be faster.*This is for all documents together/)).toBeTruthy();
  await send(dialog);
  expect(sent()).toEqual([]);
  const sure = dialog.getByRole("checkbox", { name: "Send it unencrypted" });
  expect(dialog.getByText(/Nothing is classified in “Tides.txt”/)).toBeTruthy();
  await userEvent.click(sure);
  await send(dialog);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent().map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
    [
      "/api/v1/sends",
      {
        ...{ document_ids: ["s1", "s2", "s3"], split: "range", mode: "auto" },
        to: [{ peer: "bravo", recipients: ["bruno"], estimated_mode: "sieve" }],
      },
    ],
  ]);
  expect(asked.some(({ path }) => path.includes("/plan?bytes=3000&classified=200&documents=3"))).toBe(true);
});

test("removing one of two documents sends the other alone", async () => {
  const { dialog, sent } = await openedFor([TIDES, STAFF, HARBOUR], {
    "POST /api/v1/sends": json({ transfers: [aTransfer()] }, 202),
  });
  await choose(dialog, "Bruno");
  await userEvent.click(dialog.getByRole("button", { name: "Remove Tides.txt" }));
  const next = await screen.findByRole("button", { name: "Remove staff.csv" });
  await waitFor(() => expect(document.activeElement).toBe(next));
  await userEvent.click(next);
  const left = within(await screen.findByRole("dialog", { name: "Send this document" }));
  await send(left);
  await waitFor(() => expect(sent().map(({ path }) => path)).toEqual(["/api/v1/sends"]));
});

test("findings of several are confirmed together, by one digest over all of them in their order", async () => {
  const { dialog, sent } = await openedFor([HARBOUR, STAFF, TIDES], {
    "POST /api/v1/drafts/d3/check": json({ ...FOUND, digest: "d3" }),
    "POST /api/v1/drafts/d1/check": json({ ...FOUND, count: 1, suggestions: [], findings: [FINDING], digest: "d1" }),
  });
  await choose(dialog, "Bruno");
  expect(
    await dialog.findByRole("heading", { name: "4 findings in the plain part, in 2 of 3 documents" }),
  ).toBeTruthy();
  const ofStaff = within(dialog.getByRole("list", { name: "Findings in staff.csv" }));
  expect(ofStaff.getByText("“Berg” is marked elsewhere (2 places)")).toBeTruthy();
  expect(dialog.getByRole("link", { name: "staff.csv" }).getAttribute("href")).toBe("/documents/d3");
  await userEvent.click(dialog.getByRole("checkbox"));
  await send(dialog);
  expect(sent()).toEqual([]);
  await userEvent.type(dialog.getByRole("textbox", { name: "Reason for sending them anyway" }), "Another Berg.");
  await send(dialog);
  await waitFor(() => expect(sent()).toHaveLength(1));
  const { confirm } = JSON.parse(sent()[0]?.body ?? "{}") as { confirm: unknown };
  // SHA-256 of "d1d3d2".
  expect(confirm).toEqual({
    findings_digest: "2ec8a8b96d24eb47a4bb3eae2c1b8200e25e71d7495030270ef9dc0e9458e0a6",
    reason: "Another Berg.",
  });
});

test("if one of several cannot go, none does, and the refusal names it", async () => {
  const { dialog } = await openedFor([HARBOUR, { ...STAFF, name: "staff $& co.csv" }], {
    "POST /api/v1/sends": refused(404, "nothing was sent: you have no such document: s3"),
  });
  await choose(dialog, "Bruno");
  await send(dialog);
  const alert = await dialog.findByRole("alert");
  expect(alert.textContent).toContain("None of the documents were sent.");
  expect(alert.textContent).toContain("you have no such document: “staff $& co.csv”.");
});
