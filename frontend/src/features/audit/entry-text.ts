/** What an entry of the audit log tells, as a sentence without its actor. The law: what this page does not know is told as it is called. */
import type { AuditEntryShown } from "@/api/audit";

type Details = AuditEntryShown["details"];

const SENTENCES: Readonly<Record<string, (subject: string, details: Details) => string>> = {
  "policy-created": (subject) => `made the policy ${subject}`,
  "policy-changed": (subject, { version }) => `changed the policy ${subject}${version ? `: version ${version}` : ""}`,
  "policy-deleted": (subject) => `deleted the policy ${subject}`,
  "findings-confirmed": (_, { findings, peer }) => `sent a document to ${peer} with ${counted(findings, "finding")}`,
  "labels-lowered": (_, details) => `lowered ${lowered(details)} of a document`,
  "person-added": (subject, details) => `let ${subject} in: ${rights(details)}`,
  "person-changed": (subject, details) => `changed what ${subject} may: ${rights(details)}`,
  "token-given": (subject) => `gave ${subject} an API token`,
  "link-given": (subject) => `gave ${subject} a one-time link`,
  "peer-invited": (subject) => `took the invitation of ${subject}`,
  "peer-confirmed": (subject) => `compared the code with ${subject}: paired`,
  "peer-renewed": (subject) => `took a new invitation of ${subject}`,
  "peer-key-retired": (subject) => `retired a key of ${subject}`,
  "peer-removed": (subject) => `removed the peer ${subject}`,
  "audit-continued": () => "began a new part of the audit log",
};

/** "sent a document to bravo with 3 findings". */
export function entryText({ action, subject, details }: AuditEntryShown): string {
  return SENTENCES[action]?.(subject, details) ?? `${action.replaceAll("-", " ")}: ${subject}`;
}

const RIGHTS: Readonly<Record<string, string>> = {
  author: "sends",
  recipient: "receives",
  cleared: "is cleared",
  admin: "administers",
};

function rights(details: Details): string {
  if (details.disabled === true) return "nothing, the account is disabled";
  const held = Object.entries(RIGHTS).filter(([name]) => details[name] === true);
  return held.length === 0 ? "nothing yet" : held.map(([, word]) => word).join(", ");
}

/** The banner is told as it was and as it is; null stands for none. */
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
