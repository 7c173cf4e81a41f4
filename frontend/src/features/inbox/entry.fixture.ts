import type { EntryWhole } from "@/api/types";

/** A received text, as cleared readers see it; override what the test is about. */
export function entryOf(change: Partial<EntryWhole> = {}): EntryWhole {
  return {
    id: "e1",
    transfer_id: "t1",
    peer: "bravo",
    sender: "anna",
    name: "memo.txt",
    media_type: "text/plain",
    withheld: null,
    mode: "sieve",
    editions: ["full", "redacted", "marked"],
    plain_bytes: 75,
    plain_digest: "00".repeat(32),
    redacted_bytes: null,
    document_bytes: 100,
    classified_bytes: 25,
    received_at: "2026-11-20T10:00:00Z",
    read_at: "2026-11-20T11:00:00Z",
    deleted_at: null,
    kept_until: null,
    read_receipts: false,
    tags: [],
    note: null,
    in_reply_to: null,
    other_recipients: [],
    other_recipients_left_out: 0,
    opened_at: null,
    ...change,
  };
}

/** The same, as readers without clearance see it. */
export function redactedOf(change: Partial<EntryWhole> = {}): EntryWhole {
  return entryOf({
    withheld: "not-cleared",
    mode: null,
    editions: ["redacted"],
    document_bytes: null,
    classified_bytes: null,
    ...change,
  });
}
