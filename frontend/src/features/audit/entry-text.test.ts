import { expect, it } from "vitest";
import type { AuditEntryShown } from "@/api/audit";
import { entryText } from "./entry-text";

const entry = (action: string, subject: string, details: AuditEntryShown["details"] = {}): AuditEntryShown => ({
  id: "a1",
  at: "2026-11-21T10:00:00Z",
  actor: "ada",
  action,
  subject,
  details,
  reason: null,
});

it.each([
  [entry("findings-confirmed", "t1", { findings: 1, peer: "bravo" }), "sent a document to bravo with 1 finding"],
  [
    entry("findings-confirmed", "t1", { findings: 1200, peer: "bravo" }),
    "sent a document to bravo with 1,200 findings",
  ],
  [entry("policy-changed", "ships", { version: 2 }), "changed policy ships: version 2"],
  [
    entry("person-added", "rosa", { author: false, recipient: true, admin: false, cleared: true, disabled: false }),
    "added rosa: recipient, cleared",
  ],
  [entry("person-changed", "rosa", { recipient: true, disabled: true }), "changed rosa: account disabled"],
  [entry("person-changed", "rosa", { recipient: true, address: true }), "changed rosa, e-mail address too: recipient"],
  [
    entry("labels-lowered", "d1", { revision: 2, spans: 1, banner: ["SECRET", "CONFIDENTIAL"] }),
    "lowered 1 label and the banner from SECRET to CONFIDENTIAL of a document",
  ],
  [entry("labels-lowered", "d1", { spans: 2, banner: ["SECRET", "SECRET"] }), "lowered 2 labels of a document"],
  [entry("labels-lowered", "d1", { banner: ["SECRET", null] }), "lowered the banner from SECRET to none of a document"],
  [entry("keys-turned", "k7"), "keys turned: k7"],
])("tells %o as a sentence", (told, sentence) => {
  expect(entryText(told)).toBe(sentence);
});
