/** The gateway's findings in words. */
import { plural, t } from "@lingui/core/macro";
import type { FindingShown } from "@/api/findings";

export const KIND_WORD: Readonly<Record<string, string>> = {
  phrase: t`Marked elsewhere`,
  part: t`Part of a marked name`,
  acronym: t`First letters of a marked name`,
  number: t`A number out of a marked passage`,
  date: t`A marked date in another format`,
  name: t`In the document’s name`,
  hidden: t`Not seen by readers`,
  gap: t`Reveals what is hidden`,
  policy: t`A policy would mark it`,
  table: t`A row that is not as its header is`,
  sent: t`Sent plain before`,
  limit: t`The check was incomplete`,
};

/** The address of findings about the document's name, which have no place in the document. */
export const NAME_ADDRESS = "name";

/** Where something that was found could be read: by eavesdroppers, or only by recipients who are not cleared. */
export type Risk = "plain" | "edition";

export const RISK_WORD: Readonly<Record<Risk, string>> = {
  plain: t`In the plain stream`,
  edition: t`Only in the redacted edition`,
};

/** The worst risk of these findings. `nothingPlain`: nothing of the document travels plain. */
export function riskOf(findings: readonly FindingShown[], nothingPlain: boolean): Risk {
  // The name travels plain in any case.
  const isPlain = ({ travels_plain, address }: FindingShown) =>
    travels_plain && (!nothingPlain || address === NAME_ADDRESS);
  return findings.some(isPlain) ? "plain" : "edition";
}

/** The risk that all groups have; null if it differs. */
export function commonRisk(groups: readonly Group[], nothingPlain: boolean): Risk | null {
  const [first, ...others] = new Set(groups.map(({ all }) => riskOf(all, nothingPlain)));
  return others.length > 0 ? null : (first ?? null);
}

/** Findings about the same thing. */
export interface Group<Finding extends FindingShown = FindingShown> {
  readonly key: string;
  readonly first: Finding;
  readonly all: readonly Finding[];
}

export function groupFindings<Finding extends FindingShown>(findings: readonly Finding[]): Group<Finding>[] {
  const groups = new Map<string, { key: string; first: Finding; all: Finding[] }>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.kind, finding.group || finding.id]);
    const known = groups.get(key);
    if (known) known.all.push(finding);
    else groups.set(key, { key, first: finding, all: [finding] });
  }
  return [...groups.values()];
}

/** "1 finding", "1,200 findings". */
export function findingsText(count: number): string {
  return plural(count, { one: "# finding", other: "# findings" });
}

/** The result of a leak check, to announce. */
export function leakCheckText(count: number): string {
  return count === 0 ? t`No leaks found` : t`Leak check: ${findingsText(count)}`;
}
