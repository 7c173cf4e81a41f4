/** What a policy would mark, as places of the editor's text. */
import type { Node } from "@tiptap/pm/model";
import type { TextHit } from "@/api/policies";
import { Units } from "@/lib/code-points";
import { comparedText, type Stretch } from "./engine/compared-text";
import { type Standing, standings } from "./engine/occurrences";

export interface PlacedHit extends TextHit, Stretch {}

/** The hits by where they begin, in UTF-16 units of `text`, which is what was asked about. */
export function placed(text: string, hits: readonly TextHit[]): PlacedHit[] {
  const units = new Units(text);
  return hits
    .map((hit) => ({ ...hit, from: units.of(hit.start), to: units.of(hit.end) }))
    .filter(({ from, to }) => to > from && to <= text.length)
    .sort((one, other) => one.from - other.from || other.to - one.to);
}

export interface Standings {
  readonly doc: Node;
  readonly standings: readonly Standing[];
  /** Those that are not marked yet: indexes of hits. */
  readonly open: readonly number[];
}

/** How the hits stand in the document now; null if its text is another by now. */
export function standingsOf(doc: Node, text: string, hits: readonly PlacedHit[]): Standings | null {
  if (comparedText(doc, "exact").text !== text) return null;
  const known = standings(doc, hits);
  const open: number[] = [];
  for (const [index, standing] of known.entries()) if (standing !== "marked") open.push(index);
  return { doc, standings: known, open };
}
