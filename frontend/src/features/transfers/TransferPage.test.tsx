import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { applyEvent } from "@/session/live";
import { type Answer, fakeGateway, json, refused } from "@/test/fake-gateway";
import { sessionOf, somebody } from "@/test/people";
import { renderApp } from "@/test/render";
import { aProgress, aReceipt, aTransfer, TIMINGS } from "./transfer.fixture";

const delivered = aTransfer({
  state: "delivered",
  delivered_at: "2026-11-21T10:00:01Z",
  receipt: true,
  identical: true,
  timings: TIMINGS,
  attempt: 1,
  attempts: [
    {
      number: 1,
      plan: null,
      started_at: "2026-11-21T10:00:00Z",
      ended_at: "2026-11-21T10:00:01Z",
      outcome: "delivered",
      reason: null,
      said: null,
    },
  ],
});

function opened(transfer: Answer, routes: Record<string, Answer> = {}, person = somebody()) {
  const gateway = fakeGateway({
    "GET /api/v1/session": json(sessionOf(person)),
    "GET /api/v1/transfers/t1": transfer,
    "GET /api/v1/transfers/t1/receipt": new Response(aReceipt(), { headers: { "Content-Type": "application/json" } }),
    ...routes,
  });
  return { ...gateway, ...renderApp("/sent/t1") };
}

test("follows the bytes of both channels, then the row", async () => {
  let row = aTransfer({ state: "sending" });
  const { client } = opened(() => json(row));
  expect(await screen.findByRole("heading", { name: "Connecting to bravo" })).toBeTruthy();
  act(() => applyEvent(client, { type: "transfer", data: aProgress() }));
  expect(await screen.findByRole("heading", { name: "Sending to bravo" })).toBeTruthy();
  expect(screen.getByRole("progressbar", { name: "Plain channel" }).getAttribute("aria-valuetext")).toBe(
    "300 bytes of 900 bytes",
  );
  act(() => applyEvent(client, { type: "transfer", data: aProgress({ plain_sent: 900, verified: true }) }));
  expect(
    await screen.findByRole("heading", { name: "Bravo has the whole document. Waiting for its receipt." }),
  ).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull();
  row = delivered;
  act(() => applyEvent(client, { type: "transfer", data: aProgress({ state: "delivered", verified: true }) }));
  expect(await screen.findByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeTruthy();
  expect(await screen.findByRole("region", { name: "Timing" })).toBeTruthy();
});

test("shows suite and key exchange of the secure channel, as far as they are known", async () => {
  const plan: typeof delivered.plan = {
    ...delivered.plan,
    cipher: "TLS_AES_256_GCM_SHA384",
    key_exchange: "X25519MLKEM768",
  };
  let row = { ...delivered, plan };
  const { client } = opened(() => json(row));
  const details = await screen.findByRole("region", { name: "Details" });
  expect(details.textContent).toContain("Encrypted withTLS_AES_256_GCM_SHA384");
  expect(details.textContent).toContain("Key exchangeX25519MLKEM768, post-quantum hybrid");
  row = { ...delivered, plan: { ...plan, key_exchange: "x25519" } };
  await act(() => client.invalidateQueries());
  await waitFor(() => expect(details.textContent).toContain("Key exchangex25519"));
  expect(details.textContent).not.toContain("hybrid");
  row = delivered;
  await act(() => client.invalidateQueries());
  await waitFor(() => expect(details.textContent).not.toContain("Key exchange"));
});

test("says that timings are not kept any more", async () => {
  opened(json({ ...delivered, timings: null }));
  const timing = await screen.findByRole("region", { name: "Timing" });
  expect(timing.textContent).toContain("this gateway no longer keeps timings this old");
});

test("shows the receipt, its checks, and timings that add up", async () => {
  opened(json(delivered), {
    "GET /api/v1/transfers/t1/verification": json({
      valid: false,
      signer: "bravo",
      key: "ee".repeat(32),
      checks: [
        { name: "signature", ok: true, says: "bravo signed this receipt, and it was not changed." },
        { name: "plain_digest", ok: false, says: "The plain part does not match the receipt." },
      ],
    }),
  });
  expect(await screen.findAllByTitle("dd".repeat(32))).toHaveLength(2);
  const timing = within(screen.getByRole("table", { name: "Where the time went" }));
  expect(timing.getByRole("row", { name: /Total/ }).textContent).toContain("350 ms");
  await userEvent.click(screen.getByRole("button", { name: "Verify" }));
  const found = await screen.findByRole("alert");
  expect(found.textContent).toContain("1 of 2 checks failed.");
  expect(
    within(found)
      .getAllByRole("listitem")
      .map(({ textContent }) => textContent),
  ).toEqual([
    "Passed: bravo signed this receipt, and it was not changed.",
    "Failed: The plain part does not match the receipt.",
  ]);
  expect(screen.getByRole("link", { name: "Open document" }).getAttribute("href")).toBe("/documents/d1");
});

test("a failed transfer shows its reason and attempts, and can be retried", async () => {
  const reason = "nobody named rosa can receive at bravo";
  const failed = aTransfer({
    state: "failed",
    reason,
    attempt: 1,
    attempts: [
      {
        number: 1,
        plan: null,
        started_at: "2026-11-21T10:00:00Z",
        ended_at: "2026-11-21T10:00:01.2Z",
        outcome: "failed",
        reason,
        said: null,
      },
    ],
  });
  let row = failed;
  const { asked } = opened(() => json(row), {
    "POST /api/v1/transfers/t1/requeue": () => {
      row = aTransfer();
      return json(row, 202);
    },
  });
  const panel = within(await screen.findByRole("region", { name: "Status" }));
  expect(panel.getByText("Nobody named rosa can receive at bravo.")).toBeTruthy();
  expect(screen.getByRole("row", { name: /Attempt 1 .*1.2 s Failed Nobody named rosa/ })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Retry now" }));
  expect(await screen.findByRole("heading", { name: "Waiting in the queue" })).toBeTruthy();
  await waitFor(() => expect(document.activeElement?.tagName).toBe("H1"));
  expect(asked.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("a document that was not tried yet says what it waits for", async () => {
  opened(json(aTransfer({ ahead: 3 })));
  expect(await screen.findByRole("heading", { name: "Waiting in the queue" })).toBeTruthy();
  expect(screen.getByText("3 documents to bravo go first.")).toBeTruthy();
});

test("a document that waits for others says so", async () => {
  opened(json(aTransfer({ ahead: 3, collecting: true })));
  expect(await screen.findByText("The gateway waits for more documents to bravo, to send them together.")).toBeTruthy();
  expect(screen.queryByText(/go first/)).toBeNull();
});

test("a failed attempt shows a countdown to the next one", async () => {
  opened(
    json(
      aTransfer({
        reason: "bravo does not answer",
        said: null,
        next_try_at: new Date(Date.now() + 110_000).toISOString(),
      }),
    ),
  );
  expect(await screen.findByRole("heading", { name: "Waiting to retry" })).toBeTruthy();
  expect(screen.getByText("Bravo does not answer.")).toBeTruthy();
  expect(screen.getByText(/^in 1 min \d+ s$/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Retry now" })).toBeTruthy();
});

test("past its deadline nothing can be tried", async () => {
  opened(json(aTransfer({ state: "failed", reason: "the deadline has passed", deadline_at: "2026-01-01T00:00:00Z" })));
  expect(await screen.findByText(/You can send the document again/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Retry now" })).toBeNull();
});

test("asks before it cancels, and shows the result", async () => {
  let row = aTransfer();
  opened(() => json(row), {
    "POST /api/v1/transfers/t1/cancel": () => {
      row = aTransfer({ state: "cancelled", reason: "cancelled by its author" });
      return json(row, 202);
    },
  });
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  const question = within(await screen.findByRole("alertdialog", { name: "Cancel this transfer?" }));
  await userEvent.click(question.getByRole("button", { name: "Cancel transfer" }));
  expect(await screen.findByRole("heading", { name: "Cancelled" })).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
});

test.each([
  ["by a refusal", refused(409, "the peer has every byte already; the transfer cannot be cancelled any more")],
  ["by the receipt that came meanwhile", json(aTransfer({ state: "sending" }), 202)],
])("cancelling too late is reported, %s", async (_, answer) => {
  let row = aTransfer({ state: "sending" });
  opened(() => json(row), {
    "POST /api/v1/transfers/t1/cancel": () => {
      row = delivered;
      return answer.clone();
    },
  });
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  await userEvent.click(await screen.findByRole("button", { name: "Cancel transfer" }));
  expect((await screen.findAllByText(/^Too late to cancel\. .*/)).length).toBeGreaterThan(0);
  expect(await screen.findByRole("heading", { name: "Delivered to bravo. Receipt checked." })).toBeTruthy();
});

test("an admin sees another author's transfer without actions or a link to the document", async () => {
  opened(json({ ...delivered, state: "failed", author: "anna" }), {}, somebody({ is_admin: true }));
  expect(await screen.findByRole("heading", { name: "Could not deliver to bravo" })).toBeTruthy();
  expect(screen.getByText("Ada Ahlberg")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Retry now" })).toBeNull();
  expect(screen.queryByRole("link", { name: "Open document" })).toBeNull();
});

test("an unknown transfer shows an error", async () => {
  opened(refused(404, "you have no such transfer"));
  expect((await screen.findByRole("alert")).textContent).toContain("You have no such transfer.");
  expect(screen.getByRole("heading", { name: "Transfer" })).toBeTruthy();
});

test("a failed transfer says how much had left, and is sent again as it was, to other people", async () => {
  const failed = aTransfer({
    state: "failed",
    reason: "nobody named rosa can receive at bravo",
    said: { text: "", code: "nobody-of-that-name", parameters: { names: "rosa, ida", peer: "bravo" } },
    unknown_recipients: true,
    left: { secure: 100, plain: 0 },
  });
  const stored = {
    id: "s1",
    draft_id: "d1",
    revision: 2,
    name: "Harbour plan.txt",
    media_type: "text/plain",
    format: "text",
    marks: null,
    document_bytes: 1000,
    classified_bytes: 100,
    plain_bytes: 900,
    plain_digest: "aa",
    sieve_ms: 1,
    created_at: "2026-11-21T09:00:00Z",
  };
  const { asked } = opened(json(failed), {
    "GET /api/v1/documents/s1": json(stored),
    "POST /api/v1/documents/s1/check": json({
      revision: null,
      rule: "confirm",
      count: 0,
      digest: "",
      suggestions: [],
      findings: [],
    }),
  });
  const panel = within(await screen.findByRole("region", { name: "Status" }));
  expect(panel.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "Secure channel: up to 100 bytes of 100 bytes left this gateway",
    "Plain channel: 0 of 900 bytes left this gateway",
  ]);
  // By its code, in the language of the page.
  expect(panel.getByText("Nobody named rosa, ida can receive at bravo.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Retry now" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Correct recipients" }));
  expect(await screen.findByRole("dialog", { name: "Send this document again" })).toBeTruthy();
  await waitFor(() => expect(asked.map(({ path }) => path)).toContain("/api/v1/documents/s1/check"));
});

test("a deleted document cannot be shown or sent again", async () => {
  opened(json(aTransfer({ state: "cancelled", document_deleted_at: "2026-11-21T12:00:00Z" })));
  expect(await screen.findByText(/Harbour plan\.txt, which you deleted on/)).toBeTruthy();
  expect(screen.getByText(/It is not known how much/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Send again" })).toBeNull();
  expect(screen.queryByRole("link", { name: "Show what was sent" })).toBeNull();
});
