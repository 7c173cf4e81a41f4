/** The gateway's findings, as people read them. */
import type { FindingShown } from "@/api/findings";

export const KIND_WORD: Readonly<Record<string, string>> = {
  phrase: "Marked elsewhere",
  part: "Part of a marked name",
  acronym: "First letters of a marked name",
  number: "A number out of a marked passage",
  date: "A marked date, otherwise written",
  name: "In the document’s name",
  hidden: "Not seen by readers",
  gap: "Gives away what is in a gap",
  policy: "A policy would mark it",
  table: "A row that is not as its header is",
  sent: "Sent plain before",
  limit: "Not everything was looked at",
};

/** Where a finding stands that is about the document's name: no place to go to. */
export const NAME_ADDRESS = "name";

export interface Group {
  readonly key: string;
  /** The first of those that are about the same thing. */
  readonly first: FindingShown;
  readonly count: number;
  readonly all: readonly FindingShown[];
}

/** What is about the same thing is told once, by its first place. */
export function groupFindings(findings: readonly FindingShown[]): Group[] {
  const groups = new Map<string, { key: string; first: FindingShown; count: number; all: FindingShown[] }>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.kind, finding.group || finding.id]);
    const known = groups.get(key);
    if (known) known.count = known.all.push(finding);
    else groups.set(key, { key, first: finding, count: 1, all: [finding] });
  }
  return [...groups.values()];
}

/** What a look came to, as it is announced. */
export function leakCheckText(count: number): string {
  if (count === 0) return "Looked for leaks: nothing was found.";
  return `Looked for leaks: ${count === 1 ? "1 finding" : `${count.toLocaleString("en")} findings`}.`;
}
