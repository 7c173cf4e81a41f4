import { plural } from "@lingui/core/macro";

/** A line end is one character, however it is written; so is an emoji of two code units. */
export function charactersOf(text: string): number {
  let count = text.length;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]|\r\n/g)) count--;
  return count;
}

/** "1 character", "1,200 characters". */
export function charactersText(count: number): string {
  return plural(count, { one: "# character", other: "# characters" });
}
