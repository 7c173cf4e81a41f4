/** What the words of the interface mean, for the people who use it. docs/glossary.md has each of them. */
import { t } from "@lingui/core/macro";
export const TERMS = {
  classified: {
    word: t`Classified`,
    means: t`What an author marked as secret. It is always encrypted on its way, and only recipients who are cleared can read it.`,
  },
  mark: {
    word: t({ context: "noun", message: "Mark" }),
    means: t`What an author puts on the text, cells or pages that are classified. Recipients get the marks, eavesdroppers do not.`,
  },
  "plain channel": {
    word: t`Plain channel`,
    means: t`Plain HTTP. Anyone on the network can read what travels on it, but nobody can change it undetected. Classified content never does.`,
  },
  "secure channel": {
    word: t`Secure channel`,
    means: t`HTTPS with keys that the admins of both gateways exchanged. Nobody in between can read what travels on it.`,
  },
  clearance: {
    word: t`Cleared`,
    means: t`A recipient who is cleared reads the whole document. Others read the redacted edition. Their admin decides.`,
  },
  "redacted edition": {
    word: t`Redacted edition`,
    means: t`The document without its classified content. Bars show where something is withheld and, except in a PDF, not how much.`,
  },
  finding: {
    word: t`Finding`,
    means: t`What the leak check found: something that you marked in one place and that can still be read in another.`,
  },
  banner: {
    word: t`Banner`,
    means: t`The highest label of a document, shown above it. You can raise it if the whole is more sensitive than its parts.`,
  },
  label: {
    word: t`Label`,
    means: t`The name of a mark’s category, such as the names your office uses. Cleared recipients see the labels of a file; those of a text are not sent.`,
  },
  policy: {
    word: t`Policy`,
    means: t`Rules that an admin wrote to find what must be marked: words, patterns, or values such as phone numbers.`,
  },
  estimate: {
    word: t`Estimate`,
    means: t`How long sending should take, and over which channels, from what sending to this gateway took before. It is shown only if it was right often enough.`,
  },
  transfer: {
    word: t`Transfer`,
    means: t`One document on its way to one gateway. If that gateway is down, yours keeps trying until the deadline.`,
  },
  receipt: {
    word: t`Receipt`,
    means: t`The receiving gateway’s signed statement that it verified and stored exactly this document. You can check it at any time.`,
  },
  gateway: {
    word: t`Gateway`,
    means: t`The server of your office that divides, sends, receives and keeps documents. Others that it knows are its peers.`,
  },
} as const satisfies Record<string, { readonly word: string; readonly means: string }>;

export type Term = keyof typeof TERMS;
