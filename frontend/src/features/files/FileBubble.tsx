import { plural, t } from "@lingui/core/macro";
import { Lock, LockKeyhole, LockOpen } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { PHONE, useMedia } from "@/components/use-media";
import {
  BubbleBox,
  BubbleButton,
  othersText,
  placeBubble,
  type SelectionEnds,
  useHasFocus,
  useIsSelecting,
} from "../workspace/panels/BubbleBox";
import { findInFile } from "./find-in-file";
import type { Place } from "./model/marks";
import { useOpenFile } from "./open-file";
import { type Choice, useChoice, useCoverage, useMarks, useViewedFile } from "./viewed-file";

/** The gateway searches once the selection rests. */
const PAUSE_MS = 250;
/** Longer selections rarely occur twice. */
const MOST_LENGTH = 200;
const NONE: readonly Place[] = [];

interface FileBubbleProps {
  /** The view, which the bubble is in. */
  root: RefObject<HTMLElement | null>;
  /**
   * Where the selection is drawn; null where it is not. Absent for cells: one moves between them all the time, so that the
   * buttons float over none, and are shown only where the text of a cell occurs elsewhere, too.
   */
  ends?: () => SelectionEnds | null;
  onBack: () => void;
}

/** Buttons at the selection in a file: mark it, unmark it, and mark the other places of the same text. */
export function FileBubble(props: FileBubbleProps) {
  const { marking } = useViewedFile();
  return marking && <Bubble {...props} />;
}

function Bubble({ root, ends, onBack }: FileBubbleProps) {
  const file = useOpenFile();
  const choice = useChoice();
  const coverage = useCoverage();
  const box = useRef<HTMLFieldSetElement>(null);
  const selecting = useIsSelecting(root);
  const within = useHasFocus((node) => root.current?.contains(node) === true);
  const isPhone = useMedia(PHONE);
  const chosen = within && !isPhone && !choice?.atCursor ? choice : null;
  const others = useOthers(chosen);
  const shown = chosen !== null && coverage !== null && !selecting && (ends !== undefined || others.length > 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it offers changes its width, and so its place
  useLayoutEffect(() => {
    if (!box.current || !root.current || !ends) return;
    const where = ends();
    box.current.style.visibility = where ? "" : "hidden";
    if (where) placeBubble(box.current, root.current.getBoundingClientRect(), where);
  }, [shown, chosen, coverage, others.length]);
  if (!shown) return null;
  return (
    <BubbleBox ref={box} floating={ends !== undefined}>
      {!coverage.all && coverage.above === null && (
        <BubbleButton
          icon={<Lock aria-hidden className="text-secure" />}
          onClick={() => file.mark(chosen.places, chosen.words)}
          onBack={onBack}
        >{t`Mark`}</BubbleButton>
      )}
      {coverage.some && (
        <BubbleButton
          icon={<LockOpen aria-hidden className="text-plain" />}
          onClick={() => file.unmark(chosen.places, chosen.words)}
          onBack={onBack}
        >{t`Unmark`}</BubbleButton>
      )}
      {others.length > 0 && (
        <BubbleButton
          icon={<LockKeyhole aria-hidden className="text-secure" />}
          onClick={() =>
            file.mark(
              [...chosen.places, ...others],
              plural(chosen.places.length + others.length, { one: "# place", other: "# places" }),
            )
          }
          onBack={onBack}
        >
          {othersText(others.length)}
        </BubbleButton>
      )}
    </BubbleBox>
  );
}

/** Unmarked places where the chosen text occurs again; known a moment after the selection rests. */
function useOthers(choice: Choice | null): readonly Place[] {
  const file = useOpenFile();
  const marks = useMarks();
  const [known, setKnown] = useState<{ choice: Choice; places: readonly Place[] } | null>(null);
  const phrase = choice?.text?.trim() ?? "";
  useEffect(() => {
    // A large file takes the gateway seconds to search, which is for the author to ask for.
    if (!choice || phrase === "" || phrase.length > MOST_LENGTH || file.isLarge) return;
    const abort = new AbortController();
    const find = async () => {
      const found = await findInFile(file.id, { phrase, matchCase: false, wholeWords: true }, abort.signal).catch(
        () => null,
      );
      if (!abort.signal.aborted) setKnown({ choice, places: found?.places.map(({ place }) => place) ?? NONE });
    };
    const timer = setTimeout(find, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [file, choice, phrase]);
  const [others, setOthers] = useState(NONE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: others may be marked while the selection stays
  useEffect(() => {
    const places = choice && known?.choice === choice ? known.places : NONE;
    const states = file.surface.states(places);
    setOthers(
      places.filter((place, index) => states[index] !== "marked" && !choice?.places.some((one) => touches(one, place))),
    );
  }, [file, choice, known, marks]);
  return others;
}

function touches(one: Place, other: Place): boolean {
  if (one.address !== other.address) return false;
  return (one.start ?? 0) < (other.end ?? Infinity) && (other.start ?? 0) < (one.end ?? Infinity);
}

/** Where the page's selection begins and ends, if it is in `root`. */
export function selectionEnds(root: HTMLElement | null): SelectionEnds | null {
  const selection = document.getSelection();
  if (!root || !selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const boxes = range.getClientRects();
  const [start, end] = [boxes[0], boxes[boxes.length - 1]];
  return start && end && range.intersectsNode(root) ? { start, end } : null;
}
