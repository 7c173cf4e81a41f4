/** How much of a place is classified. White space does not count. */
import type { TextParts } from "./context";
import type { TextSpan } from "./markup";

export type MarkState = "marked" | "partly" | "plain";

/**
 * The state of each place, in time that grows with the places and the spans between them while the places are in order.
 *
 * `spansFrom`: the spans that end after an offset, in order.
 */
export function markStates(
  text: TextParts,
  spansFrom: (offset: number) => Iterable<TextSpan>,
  places: readonly TextSpan[],
): MarkState[] {
  let rest: Iterator<TextSpan> | null = null;
  /** The spans read so far that the next place may reach into. */
  let near: TextSpan[] = [];
  let before = Number.POSITIVE_INFINITY;
  return places.map((place) => {
    if (place.from < before) {
      rest = spansFrom(place.from)[Symbol.iterator]();
      near = [];
    }
    before = place.from;
    if (near.some(({ to }) => to <= place.from)) near = near.filter(({ to }) => to > place.from);
    while (rest && (near.at(-1)?.from ?? -1) < place.to) {
      const next = rest.next();
      if (next.done) rest = null;
      else if (next.value.to > place.from) near.push(next.value);
    }
    return stateOf(text, near, place);
  });
}

function stateOf(text: TextParts, spans: readonly TextSpan[], { from, to }: TextSpan): MarkState {
  const isInk = (start: number, end: number) => start < end && /\S/.test(text.slice(start, end));
  let marked = false;
  let plain = false;
  let at = from;
  for (const span of spans) {
    if (span.from >= to) break;
    plain ||= isInk(at, span.from);
    at = Math.min(span.to, to);
    marked ||= isInk(Math.max(span.from, from), at);
  }
  plain ||= isInk(at, to);
  if (!marked) return "plain";
  return plain ? "partly" : "marked";
}
