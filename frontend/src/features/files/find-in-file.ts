/** Finds a phrase in a file of any format: the gateway searches it, like a policy of one rule. */
import { type DraftHit, tryInDraft } from "@/api/policies";
import { codePoints } from "@/lib/code-points";
import type { Sought } from "@/marked-text/phrase-search";
import { type Place, whole } from "./model/marks";

/** How many places are listed at most. */
export const MOST_FOUND = 10_000;

/** A place of the phrase, with the text around it. */
export interface FoundPlace {
  readonly place: Place;
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

export interface FoundInFile {
  readonly places: readonly FoundPlace[];
  /** There are more places than these. */
  readonly more: boolean;
}

export async function findInFile(id: string, sought: Sought, signal: AbortSignal): Promise<FoundInFile> {
  const { phrase, matchCase, wholeWords } = sought;
  const rule = { kind: "keywords", keywords: [phrase.trim()], case: matchCase, whole_word: wholeWords } as const;
  const policy = { name: "find", title: "", guard: false, rules: [rule] };
  const { hits, more } = await tryInDraft(id, policy, null, { limit: MOST_FOUND, signal });
  return { places: hits.map(foundPlace), more };
}

/** A cell that is nothing but the phrase is marked as a cell, so that its row tells less. */
function foundPlace({ address, start, end, text, before, after }: DraftHit): FoundPlace {
  const isCell = /^(row\/\d+\/|sheet\/[^/]+\/[A-Z]+\d+$)/.test(address);
  const isAll = before === "" && after === "" && start === 0 && end === codePoints(text);
  return { place: isCell && isAll ? whole(address) : { address, start, end }, text, before, after };
}
