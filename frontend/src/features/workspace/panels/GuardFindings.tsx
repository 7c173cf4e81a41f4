import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight, Lock, ShieldCheck, TriangleAlert } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { FindingShown } from "@/api/findings";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { type Group, groupFindings, KIND_WORD } from "@/features/transfers/findings";
import { cx } from "@/lib/cx";
import { LeaveForm } from "./LeaveForm";
import type { LeftFindings } from "./left-findings";

/** About as high as a finding of two lines; each is measured once it is drawn. */
const ROW_PX = 120;

interface GuardFindingsProps {
  /** Those that are still open. */
  findings: readonly FindingShown[];
  /** What there is to say if there are none. */
  none: string;
  /** There are more than the gateway told. */
  more: boolean;
  /** Whether there is a place to go to, which can be marked. */
  hasPlace: (finding: FindingShown) => boolean;
  onJump: (finding: FindingShown) => void;
  /** Null where nothing can be marked now. */
  onMark: ((findings: readonly FindingShown[]) => void) | null;
  left: LeftFindings;
}

export const NOTHING_FOUND = "Nothing that is marked was found elsewhere in the plain part.";

/** What the gateway's leak guard found: ways to the places, to mark them, and to leave them with a reason. */
export function GuardFindings({ findings, none, more, hasPlace, onJump, onMark, left }: GuardFindingsProps) {
  const list = useRef<HTMLUListElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupFindings(findings), [findings]);
  const open = groups.filter((group) => !left.has(group));
  const leftCount = groups.length - open.length;
  const [leaving, setLeaving] = useState<string | null>(null);
  const rows = useVirtualizer({
    count: open.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => open[index]?.key ?? index,
    overscan: 3,
  });
  /** What had the focus is about to go. */
  const keepFocus = () => list.current?.focus({ preventScroll: true });
  return (
    <>
      {findings.length === 0 && (
        <p className="flex items-start gap-2 text-quiet text-sm">
          <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
          {none}
        </p>
      )}
      {groups.length > 0 && (
        <div ref={scroller} className="-mx-2 min-h-0 overflow-y-auto">
          <ul
            ref={list}
            tabIndex={-1}
            aria-labelledby="findings"
            className="relative outline-none"
            style={{ height: rows.getTotalSize() }}
          >
            {rows.getVirtualItems().map(({ index, key, start }) => {
              const group = open[index];
              return (
                group && (
                  <li
                    key={key}
                    ref={rows.measureElement}
                    data-index={index}
                    aria-setsize={open.length}
                    aria-posinset={index + 1}
                    className="absolute inset-x-0"
                    style={{ translate: `0 ${start}px` }}
                  >
                    <FindingRow
                      group={group}
                      places={group.all.filter(hasPlace)}
                      leaving={leaving === group.key}
                      onJump={onJump}
                      onMark={
                        onMark &&
                        ((places) => {
                          onMark(places);
                          keepFocus();
                        })
                      }
                      onLeaving={(on) => setLeaving(on ? group.key : null)}
                      onLeave={(reason) => {
                        left.leave(group, reason);
                        setLeaving(null);
                        announce(`Left as it is: ${group.first.says}`);
                        keepFocus();
                      }}
                    />
                  </li>
                )
              );
            })}
          </ul>
        </div>
      )}
      {more && <p className="text-quiet text-sm">And more: mend these first.</p>}
      {leftCount > 0 && (
        <p className="flex items-center justify-between gap-2 text-quiet text-sm">
          {leftCount === 1 ? "1 is left as it is." : `${leftCount.toLocaleString("en")} are left as they are.`}
          <Button
            size="sm"
            onClick={() => {
              left.takeBack();
              announce("What was left is shown again.");
            }}
          >
            Show again
          </Button>
        </p>
      )}
    </>
  );
}

interface FindingRowProps {
  group: Group;
  /** Those of the group that stand somewhere. */
  places: readonly FindingShown[];
  leaving: boolean;
  onJump: (finding: FindingShown) => void;
  onMark: ((findings: readonly FindingShown[]) => void) | null;
  onLeaving: (leaving: boolean) => void;
  onLeave: (reason: string) => void;
}

function FindingRow({ group, places, leaving, onJump, onMark, onLeaving, onLeave }: FindingRowProps) {
  const { first } = group;
  // The way there leads to the next of several each time.
  const [turn, setTurn] = useState(0);
  const next = places[turn % places.length];
  const shown = places[(turn + places.length - 1) % places.length] ?? first;
  const { kind, says } = first;
  const several = places.length > 1;
  return (
    <div className="flex flex-col gap-1.5 rounded-md px-2 py-1.5">
      <button
        type="button"
        disabled={!next}
        onClick={() => {
          if (!next) return;
          onJump(next);
          setTurn(turn + 1);
        }}
        className={cx("min-w-0 rounded-sm text-left text-sm", next && "hover:bg-ink/5")}
      >
        <span className="wrap-anywhere line-clamp-3">
          <TriangleAlert aria-hidden className="mr-1.5 inline size-3.5 text-plain" />
          {says}
        </span>
        <span className="flex items-baseline gap-1 text-quiet text-xs">
          <span className="min-w-0 truncate">
            {KIND_WORD[kind] ?? kind}
            {(turn > 0 ? shown : first).excerpt && ` · ${(turn > 0 ? shown : first).excerpt}`}
          </span>
          {several && (
            <span className="ml-auto flex shrink-0 items-center whitespace-nowrap">
              {turn === 0 ? `${places.length} places` : `${((turn - 1) % places.length) + 1} of ${places.length}`}
              <ChevronRight aria-hidden className="size-3" />
            </span>
          )}
        </span>
      </button>
      {leaving ? (
        <LeaveForm written={says} onLeave={onLeave} onCancel={() => onLeaving(false)} />
      ) : (
        <div className="flex flex-wrap gap-2">
          {several && turn > 0 && isMarkable(first) && (
            <Button size="sm" disabled={onMark === null} onClick={() => onMark?.([shown])}>
              Mark this one
              <span className="sr-only">: {says}</span>
            </Button>
          )}
          {places.length > 0 && isMarkable(first) && (
            <Button
              size="sm"
              icon={<Lock aria-hidden className="text-secure" />}
              disabled={onMark === null}
              onClick={() => onMark?.(places)}
            >
              {several ? `Mark all ${places.length.toLocaleString("en")}` : "Mark"}
              <span className="sr-only">: {says}</span>
            </Button>
          )}
          <Button size="sm" onClick={() => onLeaving(true)}>
            Leave
            <span className="sr-only"> as it is: {says}</span>
          </Button>
        </div>
      )}
    </div>
  );
}

/** What was sent is marked by now, and what was not looked at has no place. */
function isMarkable({ kind }: FindingShown): boolean {
  return kind !== "sent" && kind !== "limit";
}
