import { t } from "@lingui/core/macro";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { FINGER, useMedia } from "@/components/use-media";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";

const ROW_PX = 40;
const FINGER_ROW_PX = 44;
/** No browser lays out a box of more than some 33 million px. */
const MOST_ROWS = 500_000;

interface PlacesListProps {
  count: number;
  /** Whether a place is not chosen. */
  isSpared: (index: number) => boolean;
  current: number;
  /** A place on one line. */
  line: (index: number) => ReactNode;
  onSpare: (index: number, spared: boolean) => void;
  onMove: (index: number) => void;
}

/** The places, each with a box to choose it; only those in view are drawn. Up and Down go from one to the next. */
export function PlacesList(props: PlacesListProps) {
  const { isSpared, current, line, onSpare, onMove } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const count = Math.min(props.count, MOST_ROWS);
  const rowPx = useMedia(FINGER) ? FINGER_ROW_PX : ROW_PX;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 6,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: all rows are higher
  useLayoutEffect(() => rows.measure(), [rowPx]);
  const stop = Math.max(0, Math.min(current, count - 1));
  useEffect(() => {
    if (current >= 0 && current < count) rows.scrollToIndex(current);
  }, [current, count, rows]);
  /** Which control of the row gets the focus once the row is drawn. */
  const wanted = useRef<"input" | "button" | null>(null);
  useEffect(() => {
    if (!wanted.current) return;
    const target = scroller.current?.querySelector<HTMLElement>(`[data-index="${stop}"] ${wanted.current}`);
    if (!target) return;
    wanted.current = null;
    target.focus({ preventScroll: true });
  });
  const key = (event: KeyboardEvent) => {
    const to = { ArrowDown: stop + 1, ArrowUp: stop - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || to < 0 || to >= count) return;
    event.preventDefault();
    wanted.current = event.target instanceof HTMLInputElement ? "input" : "button";
    onMove(to);
  };
  return (
    <div ref={scroller} className="-mx-2 min-h-24 flex-1 overflow-y-auto">
      <ul aria-label={t`Places`} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key: id, start }) => {
          const tabIndex = index === stop ? 0 : -1;
          return (
            <li
              key={id}
              data-index={index}
              aria-setsize={count}
              aria-posinset={index + 1}
              aria-current={index === current || undefined}
              className={cx(
                "absolute inset-x-0 flex items-center gap-1 rounded-md hover:bg-ink/5",
                index === current && "bg-ink/8",
              )}
              style={{ height: rowPx, translate: `0 ${start}px` }}
            >
              <label className="flex h-full w-8 pointer-coarse:w-11 shrink-0 items-center justify-center">
                <input
                  type="checkbox"
                  aria-label={t`Place ${{ index: numberText(index + 1) }}`}
                  tabIndex={tabIndex}
                  checked={!isSpared(index)}
                  onChange={({ target }) => onSpare(index, !target.checked)}
                  onKeyDown={key}
                  className="size-4 accent-ink"
                />
              </label>
              <button
                type="button"
                tabIndex={tabIndex}
                onClick={() => onMove(index)}
                onKeyDown={key}
                className="h-full min-w-0 flex-1 rounded-md pr-2 text-left focus-visible:-outline-offset-2"
              >
                {line(index)}
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
