/** What to announce after a change to the spans of a long text, made by a button, a key or undo. */
import type { Transaction } from "@codemirror/state";
import { plural, t } from "@lingui/core/macro";
import type { TextSpan } from "@/marked-text/markup";
import { charactersOf, charactersText } from "../character-counts";
import { markNews, spanLengthNews } from "../mark-news";
import { edgeMoved } from "./engine/edges";
import { classify, spansField } from "./engine/spans";

/** In a longer range, code units are counted instead of characters. */
const MOST_COUNTED = 1_000_000;

/** Null if it changed the text, too, or no span. */
export function newsOf(tr: Transaction): string | null {
  if (tr.docChanged || tr.state.field(spansField) === tr.startState.field(spansField)) return null;
  if (tr.isUserEvent("undo") || tr.isUserEvent("redo")) return t`The marks were restored.`;
  const span = tr.annotation(edgeMoved);
  if (span) return spanLengthNews(lengthOf(tr, span));
  const change = tr.effects.find((effect) => effect.is(classify))?.value;
  const [range] = change?.ranges ?? [];
  if (!change || !range) return null;
  const { ranges } = change;
  const what =
    ranges.length === 1
      ? charactersText(lengthOf(tr, range))
      : plural(ranges.length, { one: "# place", other: "# places" });
  return markNews(change.classified, what);
}

/** In characters. */
function lengthOf({ newDoc }: Transaction, { from, to }: TextSpan): number {
  return to - from > MOST_COUNTED ? to - from : charactersOf(newDoc.sliceString(from, to, "\n"));
}
