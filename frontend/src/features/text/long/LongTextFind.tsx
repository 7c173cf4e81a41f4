import { Lock, LockOpen } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "@/components/ui/Button";
import { FindForm, type Seed, useSought } from "@/features/workspace/panels/FindForm";
import { useFindKeys } from "@/features/workspace/panels/use-find-keys";
import type { TextSpan } from "@/marked-text/markup";
import type { LongTextEditor } from "./engine/editor";
import { findAll, MOST_PLACES, placeNear } from "./engine/find";

interface Found {
  readonly places: readonly TextSpan[];
  readonly current: number;
  readonly searching: boolean;
}

const NOTHING: Found = { places: [], current: -1, searching: false };

interface LongTextFindProps {
  editor: LongTextEditor;
  seed: Seed;
  onClose: () => void;
}

/** Finds a phrase in a long text, and marks or unmarks all its places in one step. */
export function LongTextFind({ editor, seed, onClose }: LongTextFindProps) {
  const { input, wanted, setWanted } = useSought(seed);
  const [found, setFound] = useState<Found>(NOTHING);
  const [turn, setTurn] = useState(0);
  const { places, current, searching } = found;
  useEffect(
    () =>
      editor.onTransaction(({ docChanged }) => {
        if (!docChanged) return;
        // What was found stands elsewhere now.
        setFound((before) => ({ ...before, places: [], current: -1 }));
        setTurn((now) => now + 1);
      }),
    [editor],
  );

  const show = useEffectEvent((next: readonly TextSpan[], at: number) => {
    setFound({ places: next, current: at, searching: false });
    editor.showPlaces(next, at);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` says that the text is another
  useEffect(() => {
    const abort = new AbortController();
    setFound((before) => ({ ...before, searching: wanted.phrase !== "" }));
    const begin = setTimeout(async () => {
      const { doc } = editor.state;
      const next = await findAll(doc, wanted, abort.signal).catch(() => null);
      if (next && editor.state.doc === doc)
        show(next, next.length ? placeNear(next, editor.state.selection.main.from) : -1);
    }, PAUSE_MS);
    return () => {
      clearTimeout(begin);
      abort.abort();
    };
  }, [editor, wanted, turn]);

  const step = (direction: 1 | -1) => {
    const { length } = places;
    if (length) show(places, (current + direction + length) % length);
  };
  useFindKeys(step);
  const all = (is: "mark" | "unmark") => {
    editor[is](places);
    input.current?.focus({ preventScroll: true });
  };
  const close = () => {
    const place = places[current];
    if (place) editor.select(place);
    onClose();
  };

  return (
    <FindForm
      input={input}
      wanted={wanted}
      onWanted={setWanted}
      any={places.length > 0}
      none={wanted.phrase !== "" && !searching && places.length === 0}
      onStep={step}
      onClose={close}
      says={saysOf(wanted.phrase, found)}
    >
      {places.length > 0 && (
        <div className="flex flex-wrap gap-2 border-line border-t pt-3">
          <Button
            size="sm"
            tone="primary"
            className="flex-1"
            icon={<Lock aria-hidden />}
            disabled={searching}
            onClick={() => all("mark")}
          >
            Mark all {places.length.toLocaleString("en")}
          </Button>
          <Button
            size="sm"
            className="flex-1"
            icon={<LockOpen aria-hidden />}
            disabled={searching}
            onClick={() => all("unmark")}
          >
            Unmark all
          </Button>
        </div>
      )}
    </FindForm>
  );
}

/** After the last key; a search over a hundred megabytes is not begun for every letter. */
const PAUSE_MS = 150;

function saysOf(phrase: string, { places, current, searching }: Found): string {
  if (phrase === "") return "All matches are outlined as you type.";
  if (searching) return "Searching…";
  if (places.length === 0) return "Not found in the document.";
  const total = places.length.toLocaleString("en");
  if (places.length === MOST_PLACES) return `Only the first ${total} places are shown.`;
  return `${(current + 1).toLocaleString("en")} of ${total}`;
}
