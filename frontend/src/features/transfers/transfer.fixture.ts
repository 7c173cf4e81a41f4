import type { DraftShown, PlanEstimate, ProgressShown, TransferWhole } from "@/api/types";
import { draftOf } from "@/test/drafts";

/** A transfer of Ada's that waits for its turn; change what the test is about. */
export function aTransfer(change: Partial<TransferWhole> = {}): TransferWhole {
  return {
    id: "t1",
    document_id: "s1",
    draft_id: "d1",
    revision: 2,
    name: "Harbour plan.txt",
    author: "ada",
    author_name: "Ada Ahlberg",
    peer: "bravo",
    recipients: ["bruno", "rosa"],
    recipient_names: ["Bruno Bauer", "Rosa Rossi"],
    mode: "sieve",
    plan: {
      mode: "sieve",
      secure_channels: 1,
      plain_channels: 1,
      split: "range",
      batch: null,
      note: null,
      note_said: null,
      estimate: null,
      cipher: null,
      key_exchange: null,
      seal: null,
    },
    state: "queued",
    reason: null,
    said: null,
    next_try_at: null,
    unreachable_since: null,
    attempt: 0,
    document_bytes: 1000,
    classified_bytes: 100,
    plain_bytes: 900,
    redacted_bytes: null,
    redacted_note: null,
    document_deleted_at: null,
    created_at: "2026-11-21T10:00:00Z",
    deadline_at: "2999-01-01T00:00:00Z",
    verified_at: null,
    delivered_at: null,
    receipt: false,
    identical: false,
    timings: null,
    attempts: [],
    left: null,
    unknown_recipients: false,
    ahead: 0,
    collecting: false,
    note: null,
    in_reply_to: null,
    replies: [],
    opened: null,
    ...change,
  };
}

/** An estimate of a plan that was chosen because it is faster. */
export function anEstimate(change: Partial<PlanEstimate["estimate"]> = {}): PlanEstimate["estimate"] {
  return {
    reason: "faster",
    predicted_ms: 7,
    other_ms: 12.34,
    break_even: 0.93,
    measured: true,
    expected_ms: 400,
    ...change,
  };
}

/** An event of that transfer, while it is sent. */
export function aProgress(change: Partial<ProgressShown> = {}): ProgressShown {
  return {
    transfer_id: "t1",
    state: "sending",
    secure_sent: 100,
    secure_total: 100,
    plain_sent: 300,
    plain_total: 900,
    verified: false,
    reason: null,
    said: null,
    next_try_at: null,
    channels: [],
    ...change,
  };
}

/** A draft of Ada's, a tenth of it classified. */
export function aDraft(change: Partial<DraftShown> = {}): DraftShown {
  return draftOf({
    document_id: "s1",
    revision: 2,
    name: "Harbour plan.txt",
    classified_bytes: 100,
    plain_bytes: 900,
    created_at: "2026-11-21T09:00:00Z",
    changed_at: "2026-11-21T09:30:00Z",
    ...change,
  });
}

/** Milliseconds that fit each other: `total` is the sum of the phases. */
export const TIMINGS = {
  sieve: 3,
  split: 1,
  establishment: 12,
  data_transfer: 310,
  combine: 4,
  integrate: 20,
  response: 338,
  total: 350,
  stored: 400,
};

/** A receipt's text as a gateway signs it; the signature is none. */
export function aReceipt(change: object = {}): string {
  const receipt = {
    v: 1,
    transfer_id: "t1",
    manifest_digest: "aa".repeat(32),
    document_digest: "bb".repeat(32),
    classified_digest: "cc".repeat(32),
    plain_digest: "dd".repeat(32),
    size: 1000,
    classified_size: 100,
    recipients: ["bruno", "rosa"],
    receiver: "bravo",
    received_at_ns: 1795255200123456789n.toString(),
    audit_head: null,
    ...change,
  };
  const text = JSON.stringify({ receipt, key: "ee".repeat(32), signature: "ff".repeat(64) });
  return text.replace(/"(\d{19})"/, "$1");
}
