/**
 * What the panels need of the view that shows a document, whichever engine that is.
 *
 * `Place`: a part of the document, as the engine addresses it. All places are of the document as it is at the call.
 */
import type { Context, Standing } from "@/features/text/tiptap/engine/occurrences";
import type { TextSpan } from "@/marked-text/markup";

/** A part of the document as the gateway counts it: code points of the unit at `address`; null for all of the unit. */
export interface Hit {
  readonly address: string;
  readonly start: number | null;
  readonly end: number | null;
}

export interface Surface<Place> {
  /** How much of each place is marked. The places are in the document's order. */
  readonly standings: (places: readonly Place[]) => readonly Standing[];
  /** Marks the places, in one step to undo. `words`: what they are, where that is announced. The same for `unmark`. */
  readonly mark: (places: readonly Place[], words: string) => void;
  readonly unmark: (places: readonly Place[], words: string) => void;
  /** Follows the text from now on, so that what the gateway finds in it has a place while it changes. */
  readonly track: () => Tracker<Place>;
  /** Calls `listener` soon after each change of the text or the marks. Returns how to end that. */
  readonly onChange: (listener: () => void) => () => void;
}

export interface Tracker<Place> {
  /** Resolves once `place` works: until then it gives null. */
  readonly ready: () => Promise<void>;
  /** Where a hit of the tracked text stands now; null where its text is deleted, or where it never stood. */
  readonly place: (hit: Hit) => Place | null;
  /** Ends the tracking. */
  readonly end: () => void;
}

/** A view of a text. Its places are offsets in the text, in UTF-16 code units. */
export interface TextSurface extends Surface<TextSpan> {
  readonly track: () => TextTracker;
  /** Outlines these places, the one at the index `current` more than the others. None: `[]` and -1. */
  readonly highlight: (places: readonly TextSpan[], current: number) => void;
  /** Scrolls to a highlighted place. Returns how to give up. */
  readonly reveal: (place: TextSpan) => () => void;
  /** The text around a place, for a list. */
  readonly context: (place: TextSpan) => Context;
}

export interface TextTracker extends Tracker<TextSpan> {
  readonly isSameText: () => boolean;
}

/** Where a hit of the text as it is now stands. */
export async function placeOf<Place>(surface: Surface<Place>, hit: Hit): Promise<Place | null> {
  const tracker = surface.track();
  await tracker.ready();
  const place = tracker.place(hit);
  tracker.end();
  return place;
}
