/** Marks as the list shows them: consecutive rows or cells together, each other mark alone. */
import { t } from "@lingui/core/macro";
import type { Format, Mark } from "@/api/files";
import { slicePoints } from "@/lib/code-points";
import { numberText } from "@/lib/numbers";
import { whereText } from "./place-names";

const MOST_CHARACTERS = 120;
const ROW = /^(row\/)(\d+)$/;
const CELL = /^(sheet\/[^/]+\/[A-Z]+)(\d+)$/;

export interface Listed {
  /** The marks in this entry. */
  readonly marks: readonly Mark[];
  /** The marked text, cut; empty if it is not loaded. */
  readonly excerpt: string;
  readonly where: string;
}

export function listed(
  format: Format,
  marks: readonly Mark[],
  textAt: (address: string) => string | null,
): readonly Listed[] {
  const runs: Mark[][] = [];
  for (const mark of marks) {
    const last = runs.at(-1);
    const before = last?.at(-1);
    if (last && before && follows(before, mark)) last.push(mark);
    else runs.push([mark]);
  }
  return runs.map((run) => ({ marks: run, excerpt: excerptOf(run, textAt), where: whereOf(format, run) }));
}

function follows(one: Mark, other: Mark): boolean {
  if (one.start !== null || other.start !== null || one.rule !== other.rule || one.label !== other.label) return false;
  for (const form of [ROW, CELL]) {
    const [, prefix, number] = form.exec(one.address) ?? [];
    const [, next, following] = form.exec(other.address) ?? [];
    if (prefix !== undefined && prefix === next) return Number(number) + 1 === Number(following);
  }
  return false;
}

function whereOf(format: Format, run: readonly Mark[]): string {
  const [first] = run;
  const last = run.at(-1);
  if (!first || !last) return "";
  const where = whereText(format, first.address);
  if (first === last) return where;
  const number = /\d+$/.exec(last.address)?.[0] ?? "";
  const to = numberText(Number(number));
  const row = ROW.exec(first.address)?.[2];
  return row === undefined ? t`${where} to ${to}` : t`Rows ${{ from: numberText(Number(row)) }} to ${to}`;
}

/** Of several cells only what all of them say. */
function excerptOf(run: readonly Mark[], textAt: (address: string) => string | null): string {
  const [mark] = run;
  const text = mark ? textAt(mark.address) : null;
  if (!mark || text === null || run.some(({ address }) => textAt(address) !== text)) return "";
  const from = mark.start ?? 0;
  return slicePoints(text, from, Math.min(mark.end ?? Infinity, from + MOST_CHARACTERS))
    .replace(/\s+/g, " ")
    .trim();
}
