import { useVirtualizer } from "@tanstack/react-virtual";
import { Lock, TriangleAlert } from "lucide-react";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { IconButton } from "@/components/ui/IconButton";
import { LeaveForm } from "@/features/workspace/panels/LeaveForm";
import { PlaceText } from "@/features/workspace/panels/PlaceText";
import { FINGER, useMedia } from "@/features/workspace/shell/use-media";
import { cx } from "@/lib/cx";
import { findingsText } from "./editing";
import type { Range } from "./engine/commands";
import { comparedText, type Stretch } from "./engine/compared-text";
import type { Leak } from "./engine/leaks";
import { useFindings, useWorkbench } from "./workbench";

const HEAD_PX = 92;
/** Of a place, and of "more". */
const LINE_PX = 36;
const FINGER_LINE_PX = 44;
/** So many places of one phrase are listed; all of them are in Find. */
const MOST_LISTED = 5;

type Row =
  | { readonly is: "head"; readonly leak: Leak }
  | { readonly is: "place"; readonly leak: Leak; readonly place: Stretch }
  | { readonly is: "more"; readonly leak: Leak };

/** The head, while somebody says why it is left. */
const LEAVING_PX = 160;

interface LeaksPanelProps {
  /** Nothing can be changed. */
  readOnly: boolean;
  onJump: (range: Range) => void;
  onFind: (phrase: string) => void;
  className?: string;
}

/** What is marked here and unmarked there, by phrase. Nothing at all where there is no such thing. */
export function LeaksPanel({ readOnly, onJump, onFind, className }: LeaksPanelProps) {
  const { editor, leaks, watch } = useWorkbench();
  const { doc, open, places, left } = useFindings();
  const scroller = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const rows = useMemo(() => rowsOf(open), [open]);
  /** The phrase that is about to be left. */
  const [leaving, setLeaving] = useState<string | null>(null);
  const linePx = useMedia(FINGER) ? FINGER_LINE_PX : LINE_PX;
  const heightOf = (row: Row | undefined) => {
    if (row?.is !== "head") return linePx;
    return row.leak.phrase === leaving ? LEAVING_PX : HEAD_PX;
  };
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(rows[index]),
    getItemKey: (index) => keyOf(rows[index], index),
    overscan: 6,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are higher
  useLayoutEffect(() => list.measure(), [leaving, linePx]);
  if (doc === null || (open.length === 0 && left === 0)) return null;

  const mark = (wanted: readonly Stretch[]) => {
    // Typed meanwhile: what is shown is not what is there, and will be in a moment.
    if (editor.state.doc !== doc) return;
    editor.commands.markPlaces(wanted);
    watch.now();
    leaks.now();
    heading.current?.focus({ preventScroll: true });
  };
  const rangeOf = (place: Stretch): Range => {
    const text = comparedText(doc, "exact");
    return { from: text.positionFrom(place.from), to: text.positionTo(place.to) };
  };

  return (
    <section aria-labelledby="findings" tabIndex={-1} className={cx("flex min-h-0 flex-col outline-none", className)}>
      <div className="flex items-center justify-between gap-2 pb-1">
        <h2
          id="findings"
          ref={heading}
          tabIndex={-1}
          className="flex items-center gap-2 font-medium text-sm outline-none"
        >
          {open.length > 0 && <TriangleAlert aria-hidden className="size-4 shrink-0 text-plain" />}
          Marked here, plain there
        </h2>
        <span className="shrink-0 text-quiet text-sm">{findingsText(places)}</span>
      </div>
      <div ref={scroller} className="-mx-2 min-h-0 flex-1 overflow-y-auto">
        <ul aria-labelledby="findings" className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, key, start, size }) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <li key={key} className="absolute inset-x-0" style={{ height: size, translate: `0 ${start}px` }}>
                {row.is === "head" && (
                  <LeakHead
                    leak={row.leak}
                    readOnly={readOnly}
                    onMark={() => mark(row.leak.places)}
                    leaving={row.leak.phrase === leaving}
                    onLeaving={(on) => setLeaving(on ? row.leak.phrase : null)}
                    onLeave={(reason) => {
                      leaks.leave(row.leak, reason);
                      setLeaving(null);
                      announce(`Left as it is: ${row.leak.written}`);
                      heading.current?.focus({ preventScroll: true });
                    }}
                  />
                )}
                {row.is === "place" && (
                  <div className="flex h-full items-center gap-1 rounded-md pr-1 hover:bg-ink/5">
                    <button
                      type="button"
                      onClick={() => onJump(rangeOf(row.place))}
                      className="h-full min-w-0 flex-1 rounded-md px-2 text-left focus-visible:-outline-offset-2"
                    >
                      <PlaceText doc={doc} place={row.place} standing="plain" />
                    </button>
                    {row.leak.places.length > 1 && (
                      <IconButton
                        label="Mark this one"
                        icon={<Lock />}
                        size="sm"
                        side="left"
                        disabled={readOnly}
                        onClick={() => mark([row.place])}
                      />
                    )}
                  </div>
                )}
                {row.is === "more" && (
                  <button
                    type="button"
                    onClick={() => onFind(row.leak.written)}
                    className="h-full rounded-md px-2 text-quiet text-sm underline decoration-edge underline-offset-2 hover:text-ink"
                  >
                    and {(row.leak.places.length - MOST_LISTED).toLocaleString("en")} more: find them all
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      </div>
      {left > 0 && (
        <p className="flex items-center justify-between gap-2 text-quiet text-sm">
          {left === 1 ? "1 phrase is left as it is." : `${left.toLocaleString("en")} phrases are left as they are.`}
          <Button
            size="sm"
            onClick={() => {
              leaks.takeBack();
              announce("What was left is shown again.");
            }}
          >
            Show again
          </Button>
        </p>
      )}
    </section>
  );
}

interface LeakHeadProps {
  leak: Leak;
  readOnly: boolean;
  onMark: () => void;
  /** It is asked why. */
  leaving: boolean;
  onLeaving: (leaving: boolean) => void;
  onLeave: (reason: string) => void;
}

function LeakHead({ leak, readOnly, onMark, leaving, onLeaving, onLeave }: LeakHeadProps) {
  const { written, isPart, marked, places } = leak;
  return (
    <div className="flex h-full flex-col justify-end gap-1.5 px-2 pb-1 pointer-coarse:pb-1.5">
      <p className="min-w-0">
        <span className="block truncate font-serif">{written}</span>
        <span className="block text-quiet text-xs">
          {isPart ? "part of a marked name" : `marked ${timesText(marked)}`}, plain {timesText(places.length)}
        </span>
      </p>
      {leaving ? (
        <LeaveForm written={written} onLeave={onLeave} onCancel={() => onLeaving(false)} />
      ) : (
        <div className="flex gap-2">
          <Button size="sm" icon={<Lock aria-hidden className="text-secure" />} disabled={readOnly} onClick={onMark}>
            {places.length === 1 ? "Mark" : `Mark all ${places.length.toLocaleString("en")}`}
            <span className="sr-only"> of “{written}”</span>
          </Button>
          <Button size="sm" onClick={() => onLeaving(true)}>
            Leave
            <span className="sr-only"> “{written}” as it is</span>
          </Button>
        </div>
      )}
    </div>
  );
}

function timesText(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en")} times`;
}

function rowsOf(open: readonly Leak[]): Row[] {
  return open.flatMap((leak): Row[] => [
    { is: "head", leak },
    ...leak.places.slice(0, MOST_LISTED).map((place): Row => ({ is: "place", leak, place })),
    ...(leak.places.length > MOST_LISTED ? [{ is: "more", leak } as const] : []),
  ]);
}

function keyOf(row: Row | undefined, index: number): string | number {
  if (!row) return index;
  return `${row.is} ${row.leak.phrase} ${row.is === "place" ? row.place.from : ""}`;
}
