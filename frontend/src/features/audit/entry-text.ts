/** Describes an entry of the audit log in a sentence without its actor. Invariant: an unknown action is shown by its name. */
import { plural, t } from "@lingui/core/macro";
import type { AuditEntryShown } from "@/api/audit";

type Details = AuditEntryShown["details"];

const SENTENCES: Readonly<Record<string, (subject: string, details: Details) => string>> = {
  "policy-created": (policy) => t`created policy ${policy}`,
  "policy-changed": (policy, details) => {
    const version = String(details.version ?? "");
    return version ? t`changed policy ${policy}: version ${version}` : t`changed policy ${policy}`;
  },
  "policy-deleted": (policy) => t`deleted policy ${policy}`,
  "findings-confirmed": (_, details) => {
    const peer = String(details.peer);
    const findings = Number(details.findings);
    return plural(findings, {
      one: `sent a document to ${peer} with # finding`,
      other: `sent a document to ${peer} with # findings`,
    });
  },
  "labels-lowered": (_, details) => lowered(details),
  "signed-in": (_, details) => {
    const source = String(details.source);
    const method = details.with === undefined ? "" : signInWords(String(details.with));
    return method ? t`signed in from ${source} with ${method}` : t`signed in from ${source}`;
  },
  "sign-in-failed": (login, details) => {
    const failures = Number(details.failures ?? 1);
    const source = String(details.source);
    return details.with === "sso" ? ssoFailed(failures, source) : failed(login, failures, source);
  },
  "second-factor-failed": (login, { failures, source }) => factorFailed(login, Number(failures ?? 1), String(source)),
  "recovery-code-used": (_, details) => {
    const left = Number(details.left ?? 0);
    return plural(left, { one: "used a recovery code, # is left", other: "used a recovery code, # are left" });
  },
  "factor-added": (_, details) => {
    const factor = factorWord(details);
    return t`added a second factor: ${factor}`;
  },
  "factor-removed": (_, details) => {
    const factor = factorWord(details);
    return t`removed a second factor: ${factor}`;
  },
  "recovery-codes-made": () => t`created recovery codes`,
  "factors-taken-away": (login) => t`removed the second factors of ${login}`,
  "document-read": (subject, details) => {
    const document = subject.slice(0, 8);
    const edition = editionWord(details.edition);
    return t`read the ${edition} edition of received document ${document}…`;
  },
  "own-document-read": (subject, details) => {
    const document = subject.slice(0, 8);
    return details.draft === true ? t`opened their own draft ${document}…` : t`opened their own document ${document}…`;
  },
  "document-forwarded": (subject, details) => {
    const document = subject.slice(0, 8);
    const edition = editionWord(details.edition);
    return t`made a document to forward of the ${edition} edition of received document ${document}…`;
  },
  "person-added": (login, details) => addedText(login, rights(details)),
  "person-changed": (login, details) =>
    details.by === "sso"
      ? providerChangedText(login, rights(details))
      : changedText(login, rights(details), details.address === true),
  "token-given": (login) => t`made an API token for ${login}`,
  "token-made": () => t`made an API token`,
  "token-revoked": (login) => t`revoked an API token of ${login}`,
  "password-set": (_, details) =>
    details.by === "link" ? t`set a password with a one-time link` : t`changed the password`,
  "sso-linked": (login) => t`linked the account ${login} with single sign-on`,
  "sessions-ended": () => t`signed out everywhere`,
  "session-ended": () => t`ended one of their sessions`,
  "signed-out": () => t`signed out`,
  "approval-asked": (login, details) => askedText(login, details.kind),
  "approval-given": (login, details) => agreedText(login, details.kind),
  "approval-refused": (login, details) => refusedText(login, details.kind),
  "approval-withdrawn": (login, details) => withdrawnText(login, details.kind),
  "link-given": (login) => t`gave ${login} a one-time link`,
  "webhook-added": (login) => t`added a webhook for ${login}`,
  "webhook-removed": (login) => t`removed a webhook of ${login}`,
  "peer-invited": (peer) => t`added the invitation from ${peer}`,
  "peer-confirmed": (peer) => t`confirmed the code and paired with ${peer}`,
  "peer-renewed": (peer) => t`added a new invitation from ${peer}`,
  "peer-key-retired": (peer) => t`retired a key of ${peer}`,
  "peer-removed": (peer) => t`removed peer ${peer}`,
  "audit-continued": () => t`continued the audit log`,
  "audit-exported": (_, details) =>
    details.format === "csv" ? t`exported the audit log as CSV` : t`exported the audit log as JSON Lines`,
  "master-key-changed": (key) => t`changed the master key to ${key}`,
  "master-key-retired": () => t`retired the earlier master keys`,
};

/** "sent a document to bravo with 3 findings". */
export function entryText({ action, subject, details }: AuditEntryShown): string {
  return SENTENCES[action]?.(subject, details) ?? `${action.replaceAll("-", " ")}: ${subject}`;
}

function askedText(login: string, kind: unknown): string {
  if (kind === "clearance") return t`cleared ${login}; a second admin must agree for earlier documents`;
  if (kind === "reset") return t`gave a new way into the account ${login}, which locked its earlier documents`;
  return t`made ${login} an admin; another admin must agree before ${login} counts as a second admin`;
}

function agreedText(login: string, kind: unknown): string {
  if (kind === "clearance") return t`agreed that ${login} reads earlier documents`;
  if (kind === "reset") return t`agreed to unlock the account ${login}`;
  return t`agreed that ${login} counts as a second admin`;
}

function refusedText(login: string, kind: unknown): string {
  if (kind === "clearance") return t`refused that ${login} reads earlier documents`;
  if (kind === "reset") return t`refused to unlock the account ${login}, and ended its sessions and tokens`;
  return t`refused that ${login} counts as a second admin`;
}

function withdrawnText(login: string, kind: unknown): string {
  if (kind === "clearance") return t`withdrew the request that ${login} reads earlier documents`;
  if (kind === "reset")
    return t`withdrew the request to unlock the account ${login}, and ended its sessions and tokens`;
  return t`withdrew the request that ${login} counts as a second admin`;
}

const addedText = (login: string, roles: string) => t`added ${login}: ${roles}`;
const changedText = (login: string, roles: string, address: boolean) =>
  address ? t`changed ${login}, e-mail address too: ${roles}` : t`changed ${login}: ${roles}`;

const providerChangedText = (login: string, roles: string) =>
  t`got other rights from single sign-on (${login}): ${roles}`;

const EDITIONS: Readonly<Record<string, string>> = {
  full: t({ context: "edition", message: "full" }),
  marked: t({ context: "edition", message: "marked" }),
  highlighted: t({ context: "edition", message: "highlighted" }),
  redacted: t({ context: "edition", message: "redacted" }),
};

const editionWord = (edition: unknown) => EDITIONS[String(edition)] ?? String(edition);

function failed(login: string, failures: number, source: string): string {
  const who = login
    ? t`failed to sign in as ${login} from ${source}`
    : t`failed to sign in with a login that does not exist from ${source}`;
  if (failures === 1) return who;
  return plural(failures, { one: `${who}, # time so far`, other: `${who}, # times so far` });
}

function ssoFailed(failures: number, source: string): string {
  const what = t`failed to sign in with single sign-on from ${source}`;
  if (failures === 1) return what;
  return plural(failures, { one: `${what}, # time so far`, other: `${what}, # times so far` });
}

function factorFailed(login: string, failures: number, source: string): string {
  const who = t`gave the password of ${login} and a wrong second factor from ${source}`;
  if (failures === 1) return who;
  return plural(failures, { one: `${who}, # time so far`, other: `${who}, # times so far` });
}

function factorWord({ factor, name }: Details): string {
  return factor === "passkey" ? t`passkey “${{ name: String(name) }}”` : t`authenticator app`;
}

const SIGN_IN_WORDS: Readonly<Record<string, string>> = {
  passkey: t`a passkey`,
  "password and passkey": t`password and passkey`,
  "password and app": t`password and authenticator app`,
  "password and recovery-code": t`password and recovery code`,
  "password and new passkey": t`password and a new passkey`,
  "password and new app": t`password and a new authenticator app`,
  sso: t`single sign-on`,
  "sso and its factor": t`single sign-on and its second factor`,
  "sso and passkey": t`single sign-on and passkey`,
  "sso and app": t`single sign-on and authenticator app`,
  "sso and recovery-code": t`single sign-on and recovery code`,
  "sso and new passkey": t`single sign-on and a new passkey`,
  "sso and new app": t`single sign-on and a new authenticator app`,
};

const signInWords = (method: string) => SIGN_IN_WORDS[method] ?? method;

const RIGHTS: Readonly<Record<string, string>> = {
  author: t({ context: "role", message: "author" }),
  recipient: t({ context: "role", message: "recipient" }),
  cleared: t({ context: "role", message: "cleared" }),
  admin: t({ context: "role", message: "admin" }),
};

function rights(details: Details): string {
  if (details.disabled === true) return t`account disabled`;
  const held = Object.entries(RIGHTS).filter(([name]) => details[name] === true);
  return held.length === 0 ? t`no roles` : held.map(([, word]) => word).join(", ");
}

/** The banner before and after the change; null means none. */
function lowered({ spans, banner }: Details): string {
  const [before = "", after] = Array.isArray(banner) ? banner : [];
  const count = typeof spans === "number" ? spans : 0;
  const isBannerLower = before !== after && Boolean(before);
  const lower = after ?? t({ context: "banner", message: "none" });
  if (!isBannerLower) {
    return plural(count, { one: "lowered # label of a document", other: "lowered # labels of a document" });
  }
  if (count === 0) return t`lowered the banner from ${before} to ${lower} of a document`;
  return plural(count, {
    one: `lowered # label and the banner from ${before} to ${lower} of a document`,
    other: `lowered # labels and the banner from ${before} to ${lower} of a document`,
  });
}
