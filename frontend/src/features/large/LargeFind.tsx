import { ChevronDown, ChevronUp, Lock, LockOpen, X } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { IconButton } from "@/components/ui/IconButton";
import { Input } from "@/components/ui/Input";
import type { TextSpan } from "@/editor/markup";
import type { LargeEditor } from "@/large/editor";
import { findAll, MOST_PLACES, placeNear, type Wanted } from "@/large/find";

interface Found {
  readonly places: readonly TextSpan[];
  readonly current: number;
  readonly searching: boolean;
}

const NOTHING: Found = { places: [], current: -1, searching: false };

/** Finds a phrase in a long text, and marks or unmarks all its places in one step. */
export function LargeFind({ editor, onClose }: { editor: LargeEditor; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [wanted, setWanted] = useState<Wanted>({ phrase: "", matchCase: false, wholeWords: false });
  const [found, setFound] = useState<Found>(NOTHING);
  const [turn, setTurn] = useState(0);
  const { places, current, searching } = found;
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  useEffect(() => editor.onChange(() => setTurn((now) => now + 1)), [editor]);

  const show = useEffectEvent((next: readonly TextSpan[], at: number) => {
    setFound({ places: next, current: at, searching: false });
    editor.showPlaces(next, at);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` says that the text is another
  useEffect(() => {
    const abort = new AbortController();
    const begin = setTimeout(async () => {
      setFound((before) => ({ ...before, searching: wanted.phrase !== "" }));
      const next = await findAll(editor.state.doc, wanted, abort.signal).catch(() => null);
      if (next) show(next, next.length ? placeNear(next, editor.state.selection.main.from) : -1);
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
  const all = (is: "mark" | "unmark") => {
    editor[is](places);
    announce(`${is === "mark" ? "Marked" : "Unmarked"}: ${placesText(places.length)}`);
    input.current?.focus({ preventScroll: true });
  };
  const close = () => {
    const place = places[current];
    if (place) editor.select(place);
    onClose();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: the element search is not in every browser that we serve
    <div
      role="search"
      aria-label="Find and mark"
      className="flex flex-col gap-3"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
        else if (event.key === "F3") step(event.shiftKey ? -1 : 1);
        else return;
        event.preventDefault();
      }}
    >
      <div className="flex items-center justify-between">
        <h2 className="font-medium text-sm">Find and mark</h2>
        <IconButton label="Close finding" icon={<X />} size="sm" onClick={close} />
      </div>
      <div className="flex items-center gap-1">
        <Input
          ref={input}
          data-find
          aria-label="Find in the document"
          value={wanted.phrase}
          onChange={({ target }) => setWanted({ ...wanted, phrase: target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            step(event.shiftKey ? -1 : 1);
          }}
          placeholder="A word or a phrase"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          className="min-w-0 flex-1"
        />
        <IconButton
          label="Previous place"
          icon={<ChevronUp />}
          size="sm"
          disabled={!places.length}
          onClick={() => step(-1)}
        />
        <IconButton
          label="Next place"
          icon={<ChevronDown />}
          size="sm"
          disabled={!places.length}
          onClick={() => step(1)}
        />
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        <Checkbox
          label="Match case"
          checked={wanted.matchCase}
          onCheckedChange={(matchCase) => setWanted({ ...wanted, matchCase })}
        />
        <Checkbox
          label="Whole words"
          checked={wanted.wholeWords}
          onCheckedChange={(wholeWords) => setWanted({ ...wanted, wholeWords })}
        />
      </div>
      <p role="status" className="text-quiet text-sm">
        {saysOf(wanted.phrase, found)}
      </p>
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
    </div>
  );
}

/** After the last key; a search over a hundred megabytes is not begun for every letter. */
const PAUSE_MS = 150;

function placesText(count: number): string {
  return count === 1 ? "1 place" : `${count.toLocaleString("en")} places`;
}

function saysOf(phrase: string, { places, current, searching }: Found): string {
  if (phrase === "") return "All its places are outlined as you type.";
  if (searching) return "Searching…";
  if (places.length === 0) return "It stands nowhere in the document.";
  const total = places.length.toLocaleString("en");
  if (places.length === MOST_PLACES) return `The first ${total} places; there may be more.`;
  return `${(current + 1).toLocaleString("en")} of ${total}`;
}
