/** Announces what was marked or unmarked, by a button, a key or undo. */
import { plural, t } from "@lingui/core/macro";
import type { Editor } from "@tiptap/core";
import { isHistoryTransaction } from "@tiptap/pm/history";
import type { Transaction } from "@tiptap/pm/state";
import { announce } from "@/components/announce";
import { charactersOf, charactersText } from "../character-counts";
import { markNews, spanLengthNews } from "../mark-news";
import { placesOf } from "./engine/bulk";
import { ClassifyStep } from "./engine/classify-step";
import { edgesMoved } from "./engine/edges";
import { piecesBetween } from "./engine/runs";

/** Returns how to end it. */
export function announceMarks(editor: Editor): () => void {
  const heard = ({ transaction }: { transaction: Transaction }) => {
    const news = newsOf(transaction);
    if (news) announce(news);
  };
  editor.on("transaction", heard);
  return () => void editor.off("transaction", heard);
}

/** What to announce after a change; null if it changed no marks, or more than marks. */
export function newsOf(tr: Transaction): string | null {
  const steps = tr.steps.filter((step) => step instanceof ClassifyStep);
  if (steps.length === 0 || steps.length < tr.steps.length) return null;
  if (isHistoryTransaction(tr)) return t`The marks were restored.`;
  const ranges = steps.flatMap((step) => step.ranges);
  const isMark = ranges[0]?.span !== null;
  const edges = edgesMoved(tr);
  if (edges) {
    const pieces = piecesBetween(tr.doc, edges.from, edges.to);
    return spanLengthNews(pieces.reduce((sum, { text }) => sum + charactersOf(text), 0));
  }
  const places = placesOf(tr);
  if (places !== null) {
    return markNews(isMark, plural(places, { one: "# place", other: "# places" }));
  }
  const count = ranges
    .filter(({ span }) => (span !== null) === isMark)
    .flatMap(({ from, to }) => piecesBetween(tr.doc, from, to))
    .reduce((sum, { text }) => sum + charactersOf(text), 0);
  return markNews(isMark, charactersText(count));
}
