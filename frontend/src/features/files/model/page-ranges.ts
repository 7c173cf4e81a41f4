/** Pages as people name them: "1-3, 7". */
import { t } from "@lingui/core/macro";
import { numberText } from "@/lib/numbers";

/** The pages named, each once, in order; a sentence if that cannot be understood. */
export function pagesOf(typed: string, count: number): readonly number[] | string {
  const pages = new Set<number>();
  const parts = typed.split(/[,;]/).map((part) => part.trim());
  for (const part of parts) {
    if (part === "" && parts.length > 1) continue;
    const [, from, to] = /^(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?$/.exec(part) ?? [];
    if (from === undefined) return t`Enter pages, such as 1-3, 7.`;
    const first = Number(from);
    const last = Number(to ?? from);
    if (first < 1 || last > count || first > last)
      return t`The document has pages 1 to ${{ last: numberText(count) }}.`;
    for (let page = first; page <= last; page++) pages.add(page);
  }
  return [...pages].sort((one, other) => one - other);
}

/** The other way: 1, 2, 3, 7 as "1-3, 7". */
export function pagesText(pages: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const page of pages) {
    const last = runs.at(-1);
    if (last && last[1] + 1 === page) last[1] = page;
    else runs.push([page, page]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}
