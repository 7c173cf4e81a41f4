/** The rows of an import preview, in words. */
import { t } from "@lingui/core/macro";
import type { ImportRow } from "@/api/people";

type Outcome = ImportRow["outcome"];

/** What an admin must look at comes first. */
const RANK: Record<Outcome, number> = { refused: 0, changed: 1, new: 2, unchanged: 3 };

/** The rows that say something, in order of the file within each outcome. */
export function rowsToShow(rows: readonly ImportRow[]): ImportRow[] {
  return rows
    .filter(({ outcome }) => outcome !== "unchanged")
    .sort((one, other) => RANK[one.outcome] - RANK[other.outcome] || one.line - other.line);
}

export function countOf(rows: readonly ImportRow[], outcome: Outcome): number {
  return rows.filter((row) => row.outcome === outcome).length;
}

const LABELS: Record<string, string> = {
  name: t`Name`,
  unit: t`Unit`,
  mail: t`E-mail`,
  roles: t`Roles`,
  cleared: t`Cleared`,
  disabled: t`Disabled`,
};

/** What changes, a line for each: "Roles: author → author recipient"; all of a new person in one line. */
export function differencesOf({ outcome, before, after }: ImportRow): string[] {
  const columns = Object.keys(LABELS).filter((column) => column in after);
  if (outcome === "changed") {
    return columns.map((column) => changeText(LABELS[column], valueText(before[column]), valueText(after[column])));
  }
  const values = columns
    .filter((column) => after[column] && after[column] !== "no")
    .map((column) => (after[column] === "yes" ? LABELS[column] : after[column]));
  return [values.join(" · ")];
}

function changeText(column = "", before: string, after: string): string {
  return t`${column}: ${before} → ${after}`;
}

function valueText(cell: string | undefined): string {
  return cell || t`none`;
}
