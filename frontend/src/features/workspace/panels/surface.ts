/**
 * What the panels need of the view that shows a document, whichever engine that is.
 *
 * `Place`: a part of the document, as the engine addresses it. All places are of the document as it is at the call.
 */
import type { TextParts } from "@/marked-text/context";
import type { MarkState } from "@/marked-text/mark-state";
import type { TextSpan } from "@/marked-text/markup";

/** A part of the document as the gateway counts it: code points of the unit at `address`; null for all of the unit. */
export interface Hit {
  readonly address: string;
  readonly start: number | null;
  readonly end: number | null;
}

export interface Surface<Place> {
  /** Compares two places by where they are in the document. */
  readonly order: (one: Place, other: Place) => number;
  /** How much of each place is marked. Fastest if the places are in the document's order. */
  readonly states: (places: readonly Place[]) => readonly MarkState[];
  /** Marks the places, in one step to undo. `words`: what they are, where that is announced. The same for `unmark`. */
  readonly mark: (places: readonly Place[], words: string) => void;
  readonly unmark: (places: readonly Place[], words: string) => void;
  /** Moves the focus and the selection to a place. */
  readonly select: (place: Place) => void;
  /** Outlines these places, the one at the index `current` more than the others. None: `[]` and -1. */
  readonly highlight: (places: readonly Place[], current: number) => void;
  /** Underlines these places, at which the leak check found something, instead of those before. */
  readonly underline: (places: readonly Place[]) => void;
  /** Scrolls to a highlighted place and leaves the focus where it is. Returns a function that stops it. */
  readonly reveal: (place: Place) => () => void;
  /** Follows the text from now on, so that what the gateway finds in it has a place while it changes. */
  readonly track: () => Tracker<Place>;
  /** Calls `listener` soon after each change of the text or the marks. Returns a function that unsubscribes it. */
  readonly onChange: (listener: () => void) => () => void;
}

export interface Tracker<Place> {
  /** Resolves once `place` works: until then it returns null. */
  readonly ready: () => Promise<void>;
  /** The current place of a hit in the tracked text; null if its text is deleted, or was never there. */
  readonly place: (hit: Hit) => Place | null;
  /** Whether the text is the tracked one, unchanged. */
  readonly isSameText: () => boolean;
  /** Ends the tracking. */
  readonly end: () => void;
}

/** A view of a text. Its places are offsets in the text, in UTF-16 code units. */
export interface TextSurface extends Surface<TextSpan> {
  /** The text as it is now: the same value as long as the text is the same. */
  readonly text: () => TextParts;
  readonly selection: () => TextSpan;
  /** The classified spans as they are now. */
  readonly spans: () => { readonly count: number; readonly inOrder: () => Iterable<TextSpan> };
  readonly track: () => TextTracker;
}

export interface TextTracker extends Tracker<TextSpan> {
  /** The current place of a place in the tracked text; null if it is deleted. */
  readonly moved: (place: TextSpan) => TextSpan | null;
}

export function inTextOrder(one: TextSpan, other: TextSpan): number {
  return one.from - other.from || other.to - one.to;
}

/** The current place of a hit in the text as it is now. */
export async function placeOf<Place>(surface: Surface<Place>, hit: Hit): Promise<Place | null> {
  const tracker = surface.track();
  await tracker.ready();
  const place = tracker.place(hit);
  tracker.end();
  return place;
}

const MOST_PHRASE = 200;

/** The selected text as a phrase to find; empty if nothing is selected, or much. */
export function selectedPhrase(surface: TextSurface): string {
  const { from, to } = surface.selection();
  return to - from > MOST_PHRASE ? "" : surface.text().slice(from, to).replace(/\s+/g, " ").trim();
}
