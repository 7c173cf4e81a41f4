/** What screen readers hear after a change of marks, in either editor. */
import { plural, t } from "@lingui/core/macro";

/** `what`: how much was marked or unmarked. */
export function markNews(isMark: boolean, what: string): string {
  return isMark ? t`Marked: ${what}` : t`Unmarked: ${what}`;
}

/** After an edge of a span was moved; `count` is in characters. */
export function spanLengthNews(count: number): string {
  return plural(count, { one: "The span now has # character", other: "The span now has # characters" });
}
