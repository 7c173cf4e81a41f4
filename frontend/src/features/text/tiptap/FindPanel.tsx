import { Lock, LockOpen } from "lucide-react";
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from "react";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { FindForm, type Seed, useSought } from "@/features/workspace/panels/FindForm";
import { useFindKeys } from "@/features/workspace/panels/use-find-keys";
import type { Range } from "./engine/commands";
import { comparedText } from "./engine/compared-text";
import { chosenOf, find, placeFrom } from "./finding";
import { HitList } from "./HitList";
import { useWatched, useWorkbench } from "./workbench";

interface FindPanelProps {
  seed: Seed;
  onJump: (range: Range) => void;
  onClose: () => void;
}

const NONE: ReadonlySet<number> = new Set();

/** Finds a phrase, and marks or unmarks those of its places that are chosen, in one step. */
export function FindPanel({ seed, onJump, onClose }: FindPanelProps) {
  const { editor, surface, watch } = useWorkbench();
  const { doc } = useWatched();
  const { input, wanted, setWanted } = useSought(seed);
  const asked = useDeferredValue(wanted);
  const found = useMemo(() => find(doc, asked), [doc, asked]);
  const { places, standings } = found;
  const [at, setAt] = useState({ offset: -1, turn: 0 });
  const near = placeFrom(places, at.offset);
  const current = places[near]?.from === at.offset ? near : -1;
  const [spare, setSpare] = useState({ asked, text: found.text, offsets: NONE });
  // Other places, or other text around them: what was chosen before means nothing any more.
  const spared = spare.asked === asked && spare.text === found.text ? spare.offsets : NONE;
  const setSpared = (offsets: ReadonlySet<number>) => setSpare({ asked, text: found.text, offsets });
  const drawn = useEffectEvent(() => surface.highlight(found.doc === editor.state.doc ? places : [], current));
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever is drawn is one of these
  useEffect(() => drawn(), [found, current]);
  useEffect(() => () => surface.highlight([], -1), [surface]);

  const go = (index: number) => {
    const place = places[index];
    if (place) setAt(({ turn }) => ({ offset: place.from, turn: turn + 1 }));
  };
  const hereNow = () => comparedText(doc, "exact").offsetOf(editor.state.selection.from);
  const step = (direction: 1 | -1) => {
    const { length } = places;
    if (length === 0) return;
    go(current < 0 ? placeFrom(places, Math.max(at.offset, hereNow())) : (current + direction + length) % length);
  };
  const arrived = useEffectEvent(() => go(placeFrom(places, at.offset >= 0 ? at.offset : hereNow())));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is looked for moves one; see `arrived`
  useEffect(() => arrived(), [asked]);
  const reveals = useEffectEvent(() => {
    const place = places[current];
    return place && surface.reveal(place);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each move is shown once
  useEffect(() => reveals(), [at]);

  const rangeOf = (index: number): Range | null => {
    const place = places[index];
    const text = comparedText(doc, "exact");
    return place ? { from: text.positionFrom(place.from), to: text.positionTo(place.to) } : null;
  };
  const close = () => {
    const range = rangeOf(current);
    if (range) onJump(range);
    onClose();
  };

  useFindKeys(step);

  const chosen = useMemo(() => {
    const own = standings.filter((_, index) => !spared.has(places[index]?.from ?? -1));
    return {
      count: own.length,
      toMark: own.filter((standing) => standing !== "marked").length,
      toUnmark: own.filter((standing) => standing !== "plain").length,
    };
  }, [standings, places, spared]);
  const standing = standings[current];
  /** The places as the text is now: this page hears of a change a moment later. */
  const latest = () => find(watch.now().doc, asked);
  const doAll = (command: "markPlaces" | "unmarkPlaces") => {
    const now = latest();
    // Typed meanwhile: what is chosen is looked at again first.
    if (now.text !== found.text) return;
    editor.commands[command](chosenOf(now, spared));
    watch.now();
    input.current?.focus({ preventScroll: true });
  };
  const doThis = (command: "markPlaces" | "unmarkPlaces") => {
    const place = latest().places.find(({ from }) => from === at.offset);
    if (!place) return;
    editor.commands[command]([place]);
    watch.now();
    step(1);
  };
  const all = spared.size === 0 ? ["all"] : [];
  const none = asked.phrase.trim() !== "" && places.length === 0;

  return (
    <FindForm
      input={input}
      wanted={wanted}
      onWanted={setWanted}
      any={places.length > 0}
      none={none}
      onStep={step}
      onClose={close}
      says={saysOf(asked.phrase, places.length, current)}
      className="max-h-full min-h-0 flex-1 max-md:gap-2"
    >
      {places.length > 0 && (
        <>
          <Checkbox
            label={`${chosen.count.toLocaleString("en")} of ${places.length.toLocaleString("en")} chosen`}
            checked={spared.size === 0}
            indeterminate={chosen.count > 0 && spared.size > 0}
            onCheckedChange={(on) => setSpared(on ? NONE : new Set(places.map(({ from }) => from)))}
            className="border-line border-t pt-3"
          />
          <HitList
            found={found}
            spared={spared}
            current={current}
            onSpare={(offset, off) => {
              const next = new Set(spared);
              if (off) next.add(offset);
              else next.delete(offset);
              setSpared(next);
            }}
            onMove={go}
            onOpen={go}
          />
          <div className="flex flex-col gap-2 border-line border-t pt-3">
            <div className="flex flex-wrap gap-2">
              <Button
                size="sm"
                tone="primary"
                className="flex-1"
                icon={<Lock aria-hidden />}
                disabled={chosen.toMark === 0}
                onClick={() => doAll("markPlaces")}
              >
                {["Mark", ...all, ...countOf(chosen.toMark)].join(" ")}
              </Button>
              <Button
                size="sm"
                className="flex-1"
                icon={<LockOpen aria-hidden />}
                disabled={chosen.toUnmark === 0}
                onClick={() => doAll("unmarkPlaces")}
              >
                {["Unmark", ...all, ...countOf(chosen.toUnmark)].join(" ")}
              </Button>
            </div>
            {standing && (
              <Button size="sm" onClick={() => doThis(standing === "marked" ? "unmarkPlaces" : "markPlaces")}>
                {standing === "marked" ? "Unmark this one" : "Mark this one"}
              </Button>
            )}
          </div>
        </>
      )}
    </FindForm>
  );
}

/** A button says no number if there is nothing for it to do. */
function countOf(count: number): string[] {
  return count === 0 ? [] : [count.toLocaleString("en")];
}

function saysOf(phrase: string, count: number, current: number): string {
  if (phrase.trim() === "") return "A space matches any white space, including line ends.";
  if (count === 0) return "Not found in the document.";
  const total = count.toLocaleString("en");
  return current >= 0 ? `${(current + 1).toLocaleString("en")} of ${total}` : `${total} places`;
}
