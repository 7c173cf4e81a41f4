import type { DraftShown } from "@/api/types";

/** The latest save of a text of which a quarter is classified; change what the test is about. */
export function draftOf(change: Partial<DraftShown> = {}): DraftShown {
  return {
    id: "d1",
    document_id: "doc",
    revision: 3,
    name: "report.txt",
    media_type: "text/plain",
    format: "text",
    marks: null,
    document_bytes: 1000,
    classified_bytes: 250,
    plain_bytes: 750,
    created_at: "2026-11-21T10:00:00Z",
    changed_at: "2026-11-21T10:00:00Z",
    tags: [],
    is_template: false,
    deleted_at: null,
    forwarded_from: null,
    last_transfer: null,
    reply_to: null,
    ...change,
  };
}
