/** Describes an entry of the audit log in a sentence without its actor. Invariant: an unknown action is shown by its name. */
import type { AuditEntryShown } from "@/api/audit";

type Details = AuditEntryShown["details"];

const SENTENCES: Readonly<Record<string, (subject: string, details: Details) => string>> = {
  "policy-created": (subject) => `created policy ${subject}`,
  "policy-changed": (subject, { version }) => `changed policy ${subject}${version ? `: version ${version}` : ""}`,
  "policy-deleted": (subject) => `deleted policy ${subject}`,
  "findings-confirmed": (_, { findings, peer }) => `sent a document to ${peer} with ${counted(findings, "finding")}`,
  "labels-lowered": (_, details) => `lowered ${lowered(details)} of a document`,
  "signed-in": (_, { source }) => `signed in from ${source}`,
  "sign-in-failed": (subject, { failures, source }) =>
    `failed to sign in ${subject ? `as ${subject}` : "with a login that does not exist"} from ${source}${failures === 1 ? "" : `, ${Number(failures).toLocaleString("en")} times so far`}`,
  "document-read": (subject, { edition }) => `read the ${edition} edition of received document ${subject.slice(0, 8)}…`,
  "document-forwarded": (subject, { edition }) =>
    `made a document to forward of the ${edition} edition of received document ${subject.slice(0, 8)}…`,
  "person-added": (subject, details) => `added ${subject}: ${rights(details)}`,
  "person-changed": (subject, details) => `changed ${subject}: ${rights(details)}`,
  "token-given": (subject) => `gave ${subject} an API token`,
  "link-given": (subject) => `gave ${subject} a one-time link`,
  "webhook-added": (subject) => `added a webhook for ${subject}`,
  "webhook-removed": (subject) => `removed a webhook of ${subject}`,
  "peer-invited": (subject) => `added the invitation from ${subject}`,
  "peer-confirmed": (subject) => `confirmed the code and paired with ${subject}`,
  "peer-renewed": (subject) => `added a new invitation from ${subject}`,
  "peer-key-retired": (subject) => `retired a key of ${subject}`,
  "peer-removed": (subject) => `removed peer ${subject}`,
  "audit-continued": () => "continued the audit log",
};

/** "sent a document to bravo with 3 findings". */
export function entryText({ action, subject, details }: AuditEntryShown): string {
  return SENTENCES[action]?.(subject, details) ?? `${action.replaceAll("-", " ")}: ${subject}`;
}

const RIGHTS: Readonly<Record<string, string>> = {
  author: "author",
  recipient: "recipient",
  cleared: "cleared",
  admin: "admin",
};

function rights(details: Details): string {
  if (details.disabled === true) return "account disabled";
  const held = Object.entries(RIGHTS).filter(([name]) => details[name] === true);
  return held.length === 0 ? "no roles" : held.map(([, word]) => word).join(", ");
}

/** The banner before and after the change; null means none. */
function lowered({ spans, banner }: Details): string {
  const [before, after] = Array.isArray(banner) ? banner : [];
  return [
    typeof spans === "number" && spans > 0 && counted(spans, "label"),
    before !== after && `the banner${before ? ` from ${before} to ${after ?? "none"}` : ""}`,
  ]
    .filter(Boolean)
    .join(" and ");
}

function counted(count: unknown, what: string): string {
  return `${Number(count).toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}
