import { plural, t } from "@lingui/core/macro";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight, Lock, LockOpen } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { IconButton } from "@/components/ui/IconButton";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { type Entry, entriesOf } from "./mark-groups";

const ROW_PX = 60;

/** A browser lays out no box of more than some 33 million px. */
const MOST_ROWS = 500_000;

/** For texts, whichever editor they are in. */
export const HOW_TO_MARK_TEXT = t`Select what must stay secret and press Mark.`;
/** Shown for a mark without other characters. */
export const WHITE_SPACE = t`(white space)`;

export interface MarkRow {
  readonly key: string | number;
  /** The marked text; empty where there is none to show. */
  readonly excerpt: string;
  /** Shown where there is no excerpt. */
  readonly title: string;
  readonly note: string;
  /** Null where there are no labels. */
  readonly label?: string | null;
  /** Names the mark on the button that unmarks it. By default the excerpt does. */
  readonly name?: string;
  /** The cursor is in it. */
  readonly isHere?: boolean;
}

interface MarksListProps {
  title: string;
  /** How many marks there are. */
  count: number;
  /** How many of them have a row here, if that is not known to be all yet. */
  listed?: number;
  row: (index: number) => MarkRow | null | undefined;
  onJump: (index: number) => void;
  /** Null where nothing can be unmarked now. */
  onUnmark: ((indexes: readonly number[]) => void) | null;
  /** How to mark something, where nothing is marked. */
  how: string;
}

/** The marks of a document: how many there are, and a row for each, by which one goes there and unmarks it. */
export function MarksList({ title, count, listed = count, how, ...rows }: MarksListProps) {
  return (
    <>
      <div className="flex items-baseline justify-between border-line border-t pt-4">
        <h2 className="font-medium text-sm">{title}</h2>
        <span data-marks className="text-quiet text-sm">
          {numberText(count)}
        </span>
      </div>
      {count === 0 && (
        <div className="flex gap-3 rounded-md border border-edge/50 border-dashed px-4 py-3 text-quiet text-sm">
          <Lock aria-hidden className="mt-0.5 size-4 shrink-0 text-secure" />
          <p>
            {t`Nothing is marked yet, so the whole document would be sent unencrypted.`} {how}
          </p>
        </div>
      )}
      {count > 0 && listed > 0 && <Rows label={title} count={Math.min(listed, MOST_ROWS)} {...rows} />}
      {count > MOST_ROWS && (
        <p className="text-quiet text-sm">
          {t`Only the first ${{ count: numberText(MOST_ROWS) }} are listed. Press F8 to go through all of them in the text.`}
        </p>
      )}
    </>
  );
}

interface RowsProps extends Pick<MarksListProps, "count" | "row" | "onJump" | "onUnmark"> {
  label: string;
}

/** Longer lists are not grouped: each mark has a row. */
const MOST_GROUPED = 2000;
const NONE: ReadonlySet<string> = new Set();

/** Marks of one text are one row, which can be opened. Only rows in view are drawn; Up and Down go through them. */
function Rows({ label, count: marks, row, onJump, onUnmark }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(NONE);
  const entries =
    marks > MOST_GROUPED
      ? null
      : entriesOf(
          Array.from({ length: marks }, (_, at) => textOf(row(at))),
          open,
        );
  const count = entries?.length ?? marks;
  const entryAt = (at: number): Entry => entries?.[at] ?? { is: "one", index: at, inGroup: false };
  /** The way there leads to the next mark of a group each time. */
  const turns = useRef(new Map<string, number>());
  const [chosen, setChosen] = useState(0);
  const stop = Math.min(chosen, count - 1);
  const moved = useRef(false);
  const hasFocus = useRef(false);
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
    // A row that has the focus may be removed and drawn again; React reports no blur then.
    const isLost = hasFocus.current && document.activeElement === document.body;
    if (!moved.current && !isLost) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${stop}"] button`);
    if (!button) return;
    moved.current = false;
    button.focus({ preventScroll: true });
  });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices whether a row has the focus
    <div
      ref={scroller}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        hasFocus.current = currentTarget.contains(relatedTarget);
      }}
      className="-mx-2 max-h-full min-h-0 overflow-y-auto"
    >
      <ul aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const entry = entryAt(index);
          const first = entry.is === "one" ? entry.index : (entry.indexes[0] ?? 0);
          const shown = row(first);
          if (!shown) return null;
          const group = entry.is === "group" ? entry : null;
          const isHere = group ? group.indexes.some((one) => row(one)?.isHere) : shown.isHere;
          const jump = () => {
            if (!group) return onJump(first);
            const turn = turns.current.get(group.key) ?? 0;
            turns.current.set(group.key, turn + 1);
            onJump(group.indexes[turn % group.indexes.length] ?? first);
          };
          const tabIndex = index === stop ? 0 : -1;
          return (
            <li
              key={group ? `group ${group.key}` : shown.key}
              data-index={index}
              aria-setsize={count}
              aria-posinset={index + 1}
              aria-current={isHere || undefined}
              className={cx(
                "absolute inset-x-0 flex items-center gap-1 rounded-md pr-1 hover:bg-ink/5",
                isHere && "bg-secure-ground",
                entry.is === "one" && entry.inGroup && "pl-4",
              )}
              style={{ height: ROW_PX, translate: `0 ${start}px` }}
            >
              <button
                type="button"
                tabIndex={tabIndex}
                onFocus={() => setChosen(index)}
                onKeyDown={key}
                onClick={jump}
                className="flex h-full min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left focus-visible:-outline-offset-2"
              >
                <span className={shown.excerpt ? "w-full truncate font-serif" : "w-full truncate"}>
                  {shown.excerpt || shown.title}
                </span>
                <span className="w-full truncate text-quiet text-xs">
                  {group ? plural(group.indexes.length, { one: "# place", other: "# places" }) : shown.note}
                  {shown.label && <b className="font-medium text-secure"> · {shown.label}</b>}
                </span>
              </button>
              {group && (
                <IconButton
                  label={t`Places of “${{ text: shortened(shown.excerpt) }}”`}
                  icon={group.open ? <ChevronDown /> : <ChevronRight />}
                  size="sm"
                  side="left"
                  aria-expanded={group.open}
                  tabIndex={tabIndex}
                  onKeyDown={key}
                  onClick={() => {
                    const next = new Set(open);
                    if (!next.delete(group.key)) next.add(group.key);
                    setOpen(next);
                  }}
                />
              )}
              <IconButton
                label={unmarkLabel(shown, group?.indexes.length ?? null)}
                icon={<LockOpen />}
                size="sm"
                side="left"
                tabIndex={tabIndex}
                onKeyDown={key}
                disabled={onUnmark === null}
                onClick={() => {
                  onUnmark?.(group ? group.indexes : [first]);
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

/** What tells one text from another, however it is written. */
function textOf(row: MarkRow | null | undefined): string {
  return row?.excerpt ? `${row.excerpt.toLowerCase()} ${row.label ?? ""}` : "";
}

/** `places`: of a group; null for one mark. */
function unmarkLabel({ name, excerpt }: MarkRow, places: number | null): string {
  const shown = shortened(excerpt);
  if (places !== null) return t`Unmark all ${{ places: numberText(places) }}: “${shown}”`;
  return name === undefined ? t`Unmark “${shown}”` : t`Unmark ${name}`;
}

function shortened(excerpt: string): string {
  return excerpt.length > 30 ? `${excerpt.slice(0, 29).trimEnd()}…` : excerpt;
}
