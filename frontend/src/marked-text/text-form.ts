/**
 * Forms in which texts and phrases are compared.
 *
 * White space of any kind and length is one space, so that a phrase is found across line ends. The form "folded" also
 * ignores case, compatibility variants (NFKC) and invisible characters such as soft hyphens.
 */
import { countBefore } from "@/lib/binary-search";

export type Form = "exact" | "folded";

/** A string in a form, and where its length differs from that of the original text. */
export interface Formed {
  readonly normal: string;
  /** Four numbers each, in order: from and to in `normal`, from and to in the text. */
  readonly bends: readonly number[];
}

const WHITE_SPACE = /\s{2,}|[^\S ]/g;
const NO_ASCII = /[^\0-\x7f]/;
/** Characters that folding may replace by fewer or more: white space, combining marks, everything outside ASCII. */
const TO_FOLD = /\s{2,}|[^\S ]|\P{M}?\p{M}+|[\u1100-\u11ff]+|[^\0-\x7f]/gu;

const foldings = new Map<string, string>();

function folded(characters: string): string {
  let found = foldings.get(characters);
  if (found === undefined) {
    // To capitals first: "ß" is "ss", and all forms of sigma are one.
    const folding = characters.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
    found = folding.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
    if (foldings.size > 20_000) foldings.clear();
    foldings.set(characters, found);
  }
  return found;
}

export function form(text: string, as: Form): Formed {
  const folds = as === "folded";
  const pattern = folds && NO_ASCII.test(text) ? TO_FOLD : WHITE_SPACE;
  const bends: number[] = [];
  let normal = "";
  let at = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [found] = match;
    const between = text.slice(at, match.index);
    const to = /\S/.test(found) ? folded(found) : " ";
    normal += folds ? between.toLowerCase() : between;
    at = match.index + found.length;
    if (to.length !== found.length) bends.push(normal.length, normal.length + to.length, match.index, at);
    normal += to;
  }
  const rest = at === 0 ? text : text.slice(at);
  return { normal: normal + (folds ? rest.toLowerCase() : rest), bends };
}

/** Whether the form of the two texts together is the form of the first followed by the form of the second. */
export function isParted(before: string, after: string): boolean {
  return !/^\p{M}/u.test(after) && !JOINED.some(([end, start]) => end.test(before) && start.test(after));
}

/** White space, the parts of a Hangul syllable, the halves of a surrogate pair. */
const JOINED = [
  [/\s$/, /^\s/],
  [/[\u1100-\u11ff]$/, /^[\u1100-\u11ff]/],
  [/[\ud800-\udbff]$/, /^[\udc00-\udfff]/],
] as const;

/** Where in the text the character starts that produced the one at `at` in `normal`. */
export function startIn({ bends }: Formed, at: number): number {
  const bend = countBefore(bends.length / 4, (n) => (bends[4 * n + 1] ?? 0) <= at) - 1;
  const [, normalTo = 0, , textTo = 0] = bend < 0 ? [] : bends.slice(4 * bend, 4 * bend + 4);
  const [nextFrom, , nextText = 0] = bends.slice(4 * bend + 4, 4 * bend + 8);
  const isInside = nextFrom !== undefined && nextFrom < at;
  return isInside ? nextText : textTo + at - normalTo;
}

/** Where in the text the character ends that produced the one before `at`. */
export function endIn({ bends }: Formed, at: number): number {
  const bend = countBefore(bends.length / 4, (n) => (bends[4 * n] ?? 0) < at) - 1;
  if (bend < 0) return at;
  const [, normalTo = 0, , textTo = 0] = bends.slice(4 * bend, 4 * bend + 4);
  return textTo + Math.max(0, at - normalTo);
}
