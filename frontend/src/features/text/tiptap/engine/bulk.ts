/** Marks and unmarks many places of the text in one step. Places are offsets in the text, in order, without overlaps. */

import { closeHistory } from "@tiptap/pm/history";
import type { Node } from "@tiptap/pm/model";
import type { Command, EditorState, Transaction } from "@tiptap/pm/state";
import { type MarkState, markStates } from "@/marked-text/mark-state";
import type { TextSpan } from "@/marked-text/markup";
import { type Classification, ClassifyStep } from "./classify-step";
import { unions } from "./commands";
import { freshSpan, runsOf } from "./runs";
import { textMap } from "./text-map";

/** How many places a transaction marked or unmarked. */
const PLACES = "sievePlaces";

export function placesOf(tr: Transaction): number | null {
  return (tr.getMeta(PLACES) as number | undefined) ?? null;
}

interface SpanOfText extends TextSpan {
  readonly id: number;
}

/** The spans as stretches of the text. */
export function textSpans(doc: Node): SpanOfText[] {
  const found: SpanOfText[] = [];
  let at = 0;
  for (const { span, text } of runsOf(doc)) {
    if (span !== null) found.push({ id: span, from: at, to: at + text.length });
    at += text.length;
  }
  return found;
}

/** How much of each place is classified. */
export function placeStates(doc: Node, places: readonly TextSpan[]): MarkState[] {
  const spans = textSpans(doc);
  return markStates(textMap(doc).text, () => spans, places);
}

/** Classifies these places, each as one span with the spans that it overlaps. Classified places stay as they are. */
export function markPlaces(places: readonly TextSpan[]): Command {
  return (state, dispatch) => {
    const { doc } = state;
    const states = placeStates(doc, places);
    const wanted = places.filter((_, index) => states[index] !== "marked");
    if (wanted.length === 0) return false;
    dispatch?.(classify(state, unions(textSpans(doc), freshSpan(doc), wanted), wanted.length));
    return true;
  };
}

/** Unmarks exactly these places: the rest of a span becomes as many spans as it is cut into. */
export function unmarkPlaces(places: readonly TextSpan[]): Command {
  return (state, dispatch) => {
    const { doc } = state;
    const states = placeStates(doc, places);
    const wanted = places.filter((_, index) => states[index] !== "plain");
    if (wanted.length === 0) return false;
    dispatch?.(classify(state, cut(textSpans(doc), freshSpan(doc), wanted), wanted.length));
    return true;
  };
}

/** The places as plain, and the rest of the spans as separate spans. */
function cut(spans: readonly SpanOfText[], firstFresh: number, places: readonly TextSpan[]): Classification[] {
  const ranges: Classification[] = [];
  let fresh = firstFresh;
  let index = 0;
  let plainTo = 0;
  for (const span of spans) {
    let at = span.from;
    let isRest = false;
    const leave = (to: number) => {
      // The first that is left keeps the id.
      if (to > at && isRest) ranges.push({ from: at, to, span: fresh++ });
      isRest ||= to > at;
    };
    while ((places[index]?.to ?? Number.POSITIVE_INFINITY) <= span.from) index++;
    for (let place = places[index]; place && place.from < span.to; place = places[index]) {
      leave(place.from);
      // A place that reaches over several spans is one range.
      const from = Math.max(place.from, plainTo);
      if (place.to > from) ranges.push({ from, to: place.to, span: null });
      plainTo = place.to;
      at = Math.max(at, place.to);
      if (place.to > span.to) break;
      index++;
    }
    leave(span.to);
  }
  return ranges;
}

/** `ranges` of the text, in order. */
export function classify(state: EditorState, ranges: readonly Classification[], places: number): Transaction {
  const text = textMap(state.doc);
  const inDocument = ranges.map(({ from, to, span }) => ({
    from: text.positionFrom(from),
    to: text.positionTo(to),
    span,
  }));
  return closeHistory(state.tr.step(new ClassifyStep(inDocument))).setMeta(PLACES, places);
}
