import { useVirtualizer } from "@tanstack/react-virtual";
import { LockOpen } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { IconButton } from "@/components/ui/IconButton";
import { cx } from "@/lib/cx";

const ROW_PX = 60;

export interface MarkedRow {
  readonly key: string | number;
  /** What is marked, as it is written; empty where it is told by its place alone. */
  readonly excerpt: string;
  /** Shown where there is no excerpt. */
  readonly title: string;
  readonly note: string;
  /** What it is worth, where there are labels. */
  readonly label?: string | null;
  /** What the button says that unmarks it. */
  readonly unmark: string;
  /** The cursor is in it. */
  readonly isHere?: boolean;
}

interface MarkedRowsProps {
  label: string;
  count: number;
  row: (index: number) => MarkedRow | null | undefined;
  onJump: (index: number) => void;
  /** Null where nothing can be unmarked now. */
  onUnmark: ((index: number) => void) | null;
}

/** What is marked, one row each: a way there, and to unmark it. Only rows in view are drawn; Up and Down go through them. */
export function MarkedRows({ label, count, row, onJump, onUnmark }: MarkedRowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(0);
  const stop = Math.min(chosen, count - 1);
  const moved = useRef(false);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 4,
  });
  const go = (index: number) => {
    const to = Math.max(0, Math.min(count - 1, index));
    setChosen(to);
    moved.current = true;
    rows.scrollToIndex(to);
  };
  const key = (event: KeyboardEvent) => {
    const to = { ArrowDown: stop + 1, ArrowUp: stop - 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  useEffect(() => {
    if (!moved.current) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${stop}"] button`);
    if (!button) return;
    moved.current = false;
    button.focus({ preventScroll: true });
  });

  return (
    <div ref={scroller} className="-mx-2 max-h-full min-h-0 overflow-y-auto">
      <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const shown = row(index);
          if (!shown) return null;
          const tabIndex = index === stop ? 0 : -1;
          return (
            <li
              key={shown.key}
              data-index={index}
              aria-setsize={count}
              aria-posinset={index + 1}
              aria-current={shown.isHere || undefined}
              className={cx(
                "absolute inset-x-0 flex items-center gap-1 rounded-md pr-1 hover:bg-ink/5",
                shown.isHere && "bg-secure-ground",
              )}
              style={{ height: ROW_PX, translate: `0 ${start}px` }}
            >
              <button
                type="button"
                tabIndex={tabIndex}
                onFocus={() => setChosen(index)}
                onKeyDown={key}
                onClick={() => onJump(index)}
                className="flex h-full min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left focus-visible:-outline-offset-2"
              >
                <span className={shown.excerpt ? "w-full truncate font-serif" : "w-full truncate"}>
                  {shown.excerpt || shown.title}
                </span>
                <span className="w-full truncate text-quiet text-xs">
                  {shown.note}
                  {shown.label && <b className="font-medium text-secure"> · {shown.label}</b>}
                </span>
              </button>
              <IconButton
                label={shown.unmark}
                icon={<LockOpen />}
                size="sm"
                side="left"
                tabIndex={tabIndex}
                onKeyDown={key}
                disabled={onUnmark === null}
                onClick={() => {
                  onUnmark?.(index);
                  if (count > 1) go(Math.min(index, count - 2));
                }}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
