/** What the words of the interface mean, for the people who use it. docs/glossary.md has each of them. */
export const TERMS = {
  classified: {
    word: "Classified",
    means:
      "What an author marked as secret. It is always encrypted on its way, and only recipients who are cleared can read it.",
  },
  mark: {
    word: "Mark",
    means:
      "What an author puts on the text, cells or pages that are classified. Recipients get the marks, eavesdroppers do not.",
  },
  "plain channel": {
    word: "Plain channel",
    means:
      "Plain HTTP. Anyone on the network can read what travels on it, but nobody can change it undetected. Classified content never does.",
  },
  "secure channel": {
    word: "Secure channel",
    means: "HTTPS with keys that the admins of both gateways exchanged. Nobody in between can read what travels on it.",
  },
  clearance: {
    word: "Cleared",
    means:
      "A recipient who is cleared reads the whole document. Others read the redacted edition. Their admin decides.",
  },
  "redacted edition": {
    word: "Redacted edition",
    means: "The document without its classified content. Bars show where something is withheld, but not how much.",
  },
  finding: {
    word: "Finding",
    means: "What the leak check found: something that you marked in one place and that can still be read in another.",
  },
  banner: {
    word: "Banner",
    means:
      "The highest label of a document, shown above it. You can raise it if the whole is more sensitive than its parts.",
  },
  label: {
    word: "Label",
    means: "The name of a mark’s category, such as the names your office uses. Labels stay at your gateway.",
  },
  policy: {
    word: "Policy",
    means: "Rules that an admin wrote to find what must be marked: words, patterns, or values such as phone numbers.",
  },
  estimate: {
    word: "Estimate",
    means:
      "How long sending should take, and over which channels, from what sending to this gateway took before. It is shown only if it was right often enough.",
  },
  transfer: {
    word: "Transfer",
    means: "One document on its way to one gateway. If that gateway is down, yours keeps trying until the deadline.",
  },
  receipt: {
    word: "Receipt",
    means:
      "The receiving gateway’s signed statement that it verified and stored exactly this document. You can check it at any time.",
  },
  gateway: {
    word: "Gateway",
    means:
      "The server of your office that divides, sends, receives and keeps documents. Others that it knows are its peers.",
  },
} as const satisfies Record<string, { readonly word: string; readonly means: string }>;

export type Term = keyof typeof TERMS;
