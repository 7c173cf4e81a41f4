import { plural, t } from "@lingui/core/macro";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Check, Lock, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "@/components/ui/Button";
import { IconButton } from "@/components/ui/IconButton";
import { Select } from "@/components/ui/Select";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { ruleOf } from "./rule-id";
import { decided, nextOpen, tally, type Verdict, type Verdicts } from "./verdicts";

const ROW_PX = 60;
const ALL = "";

const VERDICTS: Readonly<Record<Verdict, string>> = {
  accepted: t({ context: "a hit", message: "Accepted" }),
  rejected: t({ context: "a hit", message: "Rejected" }),
};

/** The fields of a hit that the review needs. The caller knows its place and how to show it. */
export interface ReviewHit {
  readonly rule: string;
  readonly reason: string;
  readonly label: string;
}

interface HitReviewProps<Hit extends ReviewHit> {
  /** In the order of the document. */
  hits: readonly Hit[];
  verdicts: Verdicts;
  onVerdicts: (verdicts: Verdicts) => void;
  /** The index of the current hit, or -1. */
  current: number;
  onCurrent: (index: number) => void;
  /** Draws the hit in its context, on one line. */
  show: (hit: Hit, index: number) => ReactNode;
  /** Shows the hit in the document. */
  onOpen: (index: number) => void;
  onMark: () => void;
}

/**
 * Reviews the hits of a policy: each can be accepted or rejected, and one button marks the accepted ones. It is the
 * same for all formats. Keys: Up and Down move, A accepts, R rejects, U undoes that.
 */
export function HitReview<Hit extends ReviewHit>(props: HitReviewProps<Hit>) {
  const { hits, verdicts, onVerdicts, current, onCurrent, onMark } = props;
  const [rule, setRule] = useState(ALL);
  const rules = useMemo(() => rulesOf(hits), [hits]);
  const chosen = rules.some(({ value }) => value === rule) ? rule : ALL;
  const shown = useMemo(
    () => [...hits.keys()].filter((index) => chosen === ALL || hits[index]?.rule === chosen),
    [hits, chosen],
  );
  const all = useMemo(() => [...hits.keys()], [hits]);
  const counts = useMemo(() => tally(verdicts, all), [verdicts, all]);
  const here = useMemo(() => tally(verdicts, shown), [verdicts, shown]);
  /** Decides on the undecided hits, or on all if every hit is decided. */
  const decideAll = (verdict: Verdict) => {
    const open = shown.filter((index) => !verdicts.has(index));
    onVerdicts(decided(verdicts, open.length > 0 ? open : shown, verdict));
  };
  const many = numberText(here.open || shown.length);
  const isPart = here.open > 0 && here.open < shown.length;

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 max-md:gap-2">
      {rules.length > 2 && (
        <Select label={t`Rule`} labelHidden value={chosen} onValueChange={setRule} choices={rules} />
      )}
      <p role="status" className="text-quiet text-sm">
        {[
          plural(hits.length, { one: "# hit", other: "# hits" }),
          counts.accepted > 0 && plural(counts.accepted, { one: "# accepted", other: "# accepted" }),
          counts.rejected > 0 && plural(counts.rejected, { one: "# rejected", other: "# rejected" }),
        ]
          .filter(Boolean)
          .join(", ")}
      </p>
      <Rows
        {...props}
        shown={shown}
        onDecide={(index, verdict) => {
          const next = decided(verdicts, [index], verdict);
          onVerdicts(next);
          const to = verdict === null ? null : nextOpen(next, shown, index);
          onCurrent(to ?? index);
        }}
        current={current}
      />
      <div className="flex flex-col gap-2 border-line border-t pt-3 max-md:pt-2">
        <div className="flex flex-wrap gap-2">
          <Button size="sm" className="flex-1" icon={<Check aria-hidden />} onClick={() => decideAll("accepted")}>
            {isPart ? t`Accept ${many} left` : t`Accept all ${many}`}
          </Button>
          <Button size="sm" className="flex-1" icon={<X aria-hidden />} onClick={() => decideAll("rejected")}>
            {isPart ? t`Reject ${many} left` : t`Reject all ${many}`}
          </Button>
        </div>
        <Button size="sm" tone="primary" icon={<Lock aria-hidden />} disabled={counts.accepted === 0} onClick={onMark}>
          {counts.accepted === 0
            ? t`Mark accepted hits`
            : plural(counts.accepted, { one: "Mark # accepted hit", other: "Mark # accepted hits" })}
        </Button>
      </div>
    </div>
  );
}

interface RowsProps<Hit extends ReviewHit> extends HitReviewProps<Hit> {
  /** The indexes of the listed hits. */
  shown: readonly number[];
  onDecide: (index: number, verdict: Verdict | null) => void;
}

function Rows<Hit extends ReviewHit>(props: RowsProps<Hit>) {
  const { hits, shown, verdicts, current, onCurrent, onOpen, onDecide, show } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
  });
  const at = shown.indexOf(current);
  const stop = Math.max(0, at);
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at);
  }, [at, rows]);
  /** A selector for what gets the focus in the current row once it is drawn; null for nothing. */
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const target = scroller.current?.querySelector<HTMLElement>(`[data-at="${stop}"] ${wanted.current}`);
    if (!target) return;
    wanted.current = null;
    target.focus({ preventScroll: true });
  });
  const key = (event: KeyboardEvent<HTMLElement>, index: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowDown: stop + 1, ArrowUp: stop - 1, Home: 0, End: shown.length - 1 }[event.key];
    const verdict = { a: "accepted" as const, r: "rejected" as const, u: null }[event.key.toLowerCase()];
    if (to !== undefined && to >= 0 && to < shown.length) {
      event.preventDefault();
      wanted.current = event.currentTarget.dataset.is ? `[data-is="${event.currentTarget.dataset.is}"]` : "button";
      onCurrent(shown[to] as number);
    } else if (verdict !== undefined) {
      event.preventDefault();
      wanted.current = '[data-is="place"]';
      onDecide(index, verdict);
    }
  };
  return (
    <div ref={scroller} className="-mx-2 min-h-28 flex-1 overflow-y-auto max-md:min-h-16">
      <ul aria-label={t`Hits`} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index: row, key: id, start }) => {
          const index = shown[row] as number;
          const hit = hits[index];
          if (!hit) return null;
          const verdict = verdicts.get(index);
          const tabIndex = row === stop ? 0 : -1;
          const about = aboutOf(hit);
          return (
            <li
              key={id}
              data-at={row}
              aria-setsize={shown.length}
              aria-posinset={row + 1}
              aria-current={index === current || undefined}
              className={cx(
                "absolute inset-x-0 flex items-center rounded-md pr-1 hover:bg-ink/5",
                index === current && "bg-ink/8",
              )}
              style={{ height: ROW_PX, translate: `0 ${start}px` }}
            >
              <button
                type="button"
                data-is="place"
                tabIndex={tabIndex}
                onClick={() => onOpen(index)}
                onKeyDown={(event) => key(event, index)}
                className="flex h-full min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left focus-visible:-outline-offset-2"
              >
                <span className={verdict === "rejected" ? "line-through decoration-edge" : ""}>{show(hit, index)}</span>
                <span className="w-full truncate text-quiet text-xs">
                  {verdict && <b className="font-medium text-ink">{VERDICTS[verdict]} · </b>}
                  {about}
                </span>
              </button>
              <IconButton
                label={t`Accept (A)`}
                data-is="accept"
                icon={<Check />}
                size="sm"
                side="left"
                pressed={verdict === "accepted"}
                tabIndex={tabIndex}
                onClick={() => onDecide(index, verdict === "accepted" ? null : "accepted")}
                onKeyDown={(event) => key(event, index)}
              />
              <IconButton
                label={t`Reject (R)`}
                data-is="reject"
                icon={<X />}
                size="sm"
                side="left"
                pressed={verdict === "rejected"}
                tabIndex={tabIndex}
                onClick={() => onDecide(index, verdict === "rejected" ? null : "rejected")}
                onKeyDown={(event) => key(event, index)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function aboutOf({ rule, reason, label }: ReviewHit): string {
  const number = ruleOf(rule)?.number;
  return [number === undefined ? rule : t`Rule ${number}`, reason, label].filter(Boolean).join(" · ");
}

/** The choices of the filter: all rules, and each rule that has hits. */
function rulesOf(hits: readonly ReviewHit[]) {
  const counts = new Map<string, { hit: ReviewHit; count: number }>();
  for (const hit of hits) {
    const known = counts.get(hit.rule);
    if (known) known.count++;
    else counts.set(hit.rule, { hit, count: 1 });
  }
  const number = (rule: string) => ruleOf(rule)?.number ?? 0;
  return [
    { value: ALL, label: t`All rules, ${plural(hits.length, { one: "# hit", other: "# hits" })}` },
    ...[...counts.values()]
      .sort((one, other) => number(one.hit.rule) - number(other.hit.rule))
      .map(({ hit, count }) => ({ value: hit.rule, label: `${aboutOf(hit)}: ${numberText(count)}` })),
  ];
}
