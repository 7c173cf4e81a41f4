import { plural, t } from "@lingui/core/macro";
import type { ReactNode, RefObject } from "react";
import { numberText } from "@/lib/numbers";
import type { MarkState } from "@/marked-text/mark-state";
import type { Sought } from "@/marked-text/phrase-search";
import { FindForm } from "./FindForm";
import { ChosenBox, type FoundAction, FoundActions } from "./FoundActions";
import { PlacesList } from "./PlacesList";
import { useFindKeys } from "./use-find-keys";

interface FoundPlacesProps {
  input: RefObject<HTMLInputElement | null>;
  wanted: Sought;
  /** What the places are of. */
  sought: Sought;
  onWanted: (wanted: Sought) => void;
  /** The search takes so long that it should be shown. */
  searching: boolean;
  /** The places are about to change. */
  stale: boolean;
  count: number;
  /** Whether there are more places than these. */
  more: boolean;
  /** The index of the current place, or -1. */
  current: number;
  /** How much of each place is marked. */
  states: readonly MarkState[];
  /** The same of the chosen places. */
  chosen: readonly MarkState[];
  /** Whether a place is not chosen. */
  isSpared: (index: number) => boolean;
  onSpare: (index: number, spared: boolean) => void;
  onChooseAll: (on: boolean) => void;
  /** A place on one line. */
  line: (index: number) => ReactNode;
  onStep: (direction: 1 | -1) => void;
  onMove: (index: number) => void;
  /** Marks or unmarks the chosen places. */
  onAll: (action: FoundAction) => void;
  /** Marks or unmarks the current place. */
  onThis: (action: FoundAction) => void;
  onClose: () => void;
  /** Why the search failed. */
  children?: ReactNode;
}

/** The phrase to find in a document of any kind, the places where it is, and what to do with them. */
export function FoundPlaces(props: FoundPlacesProps) {
  const { searching, stale, count, more, current, states, chosen, onStep } = props;
  useFindKeys(onStep);
  const isAsking = props.sought.phrase.trim() !== "";
  return (
    <FindForm
      input={props.input}
      wanted={props.wanted}
      onWanted={props.onWanted}
      any={count > 0}
      none={isAsking && !stale && count === 0}
      onStep={onStep}
      onClose={props.onClose}
      says={searching ? t`Searching…` : saysOf(isAsking, count, current, more)}
      className="max-h-full min-h-0 flex-1 max-md:gap-2"
    >
      {props.children}
      {count > 0 && (
        <>
          <ChosenBox chosen={chosen.length} count={count} onAll={props.onChooseAll} />
          <PlacesList
            count={count}
            isSpared={props.isSpared}
            current={current}
            line={props.line}
            onSpare={props.onSpare}
            onMove={props.onMove}
          />
          <FoundActions
            states={chosen}
            all={chosen.length === count}
            stale={stale}
            here={states[current]}
            onAll={props.onAll}
            onThis={props.onThis}
          />
        </>
      )}
    </FindForm>
  );
}

/** A copy of a set with `one` in it, or without. */
export function withOne<T>(set: ReadonlySet<T>, one: T, isIn: boolean): ReadonlySet<T> {
  const next = new Set(set);
  if (isIn) next.add(one);
  else next.delete(one);
  return next;
}

function saysOf(isAsking: boolean, count: number, current: number, more: boolean): string {
  if (!isAsking) return t`A space matches any white space, including line ends.`;
  if (count === 0) return t`Not found in the document.`;
  const total = numberText(count);
  if (more) return t`Only the first ${total} places are shown.`;
  return current >= 0
    ? t`${{ index: numberText(current + 1) }} of ${total}`
    : plural(count, { one: "# place", other: "# places" });
}
