import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight, Lightbulb, Lock, ShieldCheck, TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import {
  commonRisk,
  findingsText,
  type Group,
  KIND_WORD,
  RISK_WORD,
  type Risk,
  riskOf,
} from "@/features/transfers/findings";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { LeaveFindingForm } from "./LeaveFindingForm";
import { ALL_GROUPS, type Findings, type LeakCheck, type OpenFinding } from "./leak-check";
import type { Surface } from "./surface";

const WHO_READS: Readonly<Record<Risk | "mixed", string>> = {
  plain: t`Eavesdroppers could read these.`,
  edition: t`Recipients without clearance could read these.`,
  mixed: t`Recipients without clearance could read these, and eavesdroppers some of them.`,
};

/** About as high as a finding of two lines; each is measured once it is drawn. */
const ROW_PX = 96;

const SMALL = "h-7! px-2.5!";

/** What the last leak check found, at its places in the document as it is now. */
export function useFindings<Place>({ subscribe, findings }: LeakCheck<Place>): Findings<Place> {
  return useSyncExternalStore(subscribe, findings);
}

/** Underlines the findings where they are in the document. */
export function useUnderlinedFindings<Place>(surface: Surface<Place>, leaks: LeakCheck<Place>): void {
  const { open } = useFindings(leaks);
  useEffect(() => surface.underline(open.flatMap(({ place }) => place ?? [])), [surface, open]);
  useEffect(() => () => surface.underline([]), [surface]);
}

interface FindingsPanelProps<Place> {
  surface: Surface<Place>;
  leaks: LeakCheck<Place>;
  /** Nothing can be changed. */
  readOnly?: boolean;
  onJump: (place: Place) => void;
  /** Says when a check begins; null where one follows each change at once: the last answer is shown until the next. */
  hint: string | null;
  /** Nothing of the document travels plain. */
  nothingPlain?: boolean;
  className?: string;
}

/** The findings of the gateway's leak check: ways to their places, to mark them, and to leave them with a reason. */
export function FindingsPanel<Place>(props: FindingsPanelProps<Place>) {
  const { surface, leaks, readOnly = false, onJump, hint, nothingPlain = false, className } = props;
  const { checked, open, groups, suggestions, left, isCurrent, pending, leaving, error } = useFindings(leaks);
  const risk = commonRisk(groups, nothingPlain);
  const list = useRef<HTMLUListElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  /** What the form for this key, or `ALL_GROUPS`, shows; null where none is open. */
  const reasonOf = (key: string) => (leaving?.key === key ? leaving.reason : null);
  const reasonForAll = groups.length > 1 ? reasonOf(ALL_GROUPS) : null;
  const rows = useVirtualizer({
    count: groups.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => groups[index]?.key ?? index,
    overscan: 3,
  });
  /** The element that has the focus is about to go. */
  const keepFocus = () => (list.current ?? heading.current)?.focus({ preventScroll: true });
  const jump = (finding: OpenFinding<Place>) => {
    const [place] = leaks.placesOf([finding]);
    if (place !== undefined) onJump(place);
  };
  return (
    <section
      aria-labelledby="findings"
      tabIndex={-1}
      className={cx("flex shrink-0 flex-col gap-2 border-line border-t pt-4 outline-none", className)}
    >
      <div className="flex min-h-7 items-center gap-2">
        <h2 id="findings" ref={heading} tabIndex={-1} className="font-medium text-sm outline-none">
          {t`Findings`}
        </h2>
        {groups.length > 1 && reasonForAll === null && (
          <Button size="sm" className={SMALL} onClick={() => leaks.setLeaving({ key: ALL_GROUPS, reason: "" })}>
            {t`Leave all`}
          </Button>
        )}
        <span className="ml-auto flex gap-2 text-quiet text-sm">
          {pending && <span>{t`Checking…`}</span>}
          {checked && <span data-findings>{numberText(open.length)}</span>}
        </span>
      </div>
      {error && <ErrorPanel title={t`The leak check could not run.`} problem={error} onRetry={leaks.now} />}
      {checked && !error && open.length === 0 && left === 0 && (
        <p className="flex items-start gap-2 text-quiet text-sm">
          <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
          {isCurrent || hint === null ? t`No leaks found.` : t`No findings left from the last check.`}
        </p>
      )}
      {reasonForAll !== null && (
        <LeaveFindingForm
          label={t`Why the ${{ findings: findingsText(open.length) }} can stay plain`}
          action={t`Leave all`}
          reason={reasonForAll}
          onReason={(reason) => leaks.setLeaving({ key: ALL_GROUPS, reason })}
          onLeave={(reason) => {
            leaks.leave(groups, reason);
            announce(t`Left as they are: ${{ findings: findingsText(open.length) }}`);
            heading.current?.focus({ preventScroll: true });
          }}
          onCancel={() => leaks.setLeaving(null)}
        />
      )}
      {groups.length > 0 && <p className="text-quiet text-xs">{WHO_READS[risk ?? "mixed"]}</p>}
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
              const group = groups[index];
              return (
                group && (
                  <li
                    key={key}
                    ref={rows.measureElement}
                    data-index={index}
                    aria-setsize={groups.length}
                    aria-posinset={index + 1}
                    className="absolute inset-x-0"
                    style={{ translate: `0 ${start}px` }}
                  >
                    <FindingRow
                      group={group}
                      risk={risk === null ? riskOf(group.all, nothingPlain) : null}
                      reason={reasonOf(group.key)}
                      onJump={jump}
                      onMark={
                        readOnly
                          ? null
                          : (findings) => {
                              surface.mark(leaks.placesOf(findings), findingsText(findings.length));
                              keepFocus();
                            }
                      }
                      onReason={(reason) => leaks.setLeaving(reason === null ? null : { key: group.key, reason })}
                      onLeave={(reason) => {
                        leaks.leave([group], reason);
                        announce(t`Left as it is: ${{ finding: group.first.says }}`);
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
      {suggestions.length > 0 && (
        <details className="group shrink-0">
          <summary className="flex cursor-pointer items-center gap-1 text-quiet text-sm">
            <ChevronRight aria-hidden className="size-3.5 shrink-0 group-open:rotate-90" />
            {t`Suggestions`}
            <span className="ml-auto" data-suggestions>
              {numberText(suggestions.length)}
            </span>
          </summary>
          <p className="mt-1 text-quiet text-xs">
            {t`These may be other forms of what you marked. You can send the document without resolving them.`}
          </p>
          <ul aria-label={t`Suggestions`} className="-mx-2 mt-1 max-h-72 overflow-y-auto">
            {suggestions.map((group) => (
              <li key={group.key}>
                <FindingRow
                  group={group}
                  risk={null}
                  reason={null}
                  onJump={jump}
                  onMark={
                    readOnly
                      ? null
                      : (chosen) => {
                          surface.mark(leaks.placesOf(chosen), findingsText(chosen.length));
                          heading.current?.focus({ preventScroll: true });
                        }
                  }
                  onReason={null}
                  onLeave={() => undefined}
                />
              </li>
            ))}
          </ul>
        </details>
      )}
      {checked?.more && <p className="text-quiet text-sm">{t`There are more findings. Resolve these first.`}</p>}
      {left > 0 && (
        <p className="flex items-center justify-between gap-2 text-quiet text-sm">
          {plural(left, { one: "You left # finding as it is.", other: "You left # findings as they are." })}
          <Button
            size="sm"
            onClick={() => {
              leaks.takeBack();
              announce(t`The findings that you left are shown again.`);
            }}
          >
            {t`Show again`}
          </Button>
        </p>
      )}
      {hint !== null && !isCurrent && !error && (
        <p className="flex min-h-8 items-center justify-between gap-2 text-quiet text-sm">
          {pending ? t`Checking for leaks…` : hint}
          <Button size="sm" busy={pending} onClick={leaks.now}>
            {t`Check now`}
          </Button>
        </p>
      )}
    </section>
  );
}

interface FindingRowProps<Finding> {
  group: Group<Finding & OpenFinding<unknown>>;
  /** Shown where it differs from that of other findings; null where it does not. */
  risk: Risk | null;
  /** Why it is left, as far as it is typed; null where it is not being left. */
  reason: string | null;
  onJump: (finding: Finding) => void;
  /** Null where nothing can be marked now. */
  onMark: ((findings: readonly Finding[]) => void) | null;
  /** Null for suggestions, which need no reason. */
  onReason: ((reason: string | null) => void) | null;
  onLeave: (reason: string) => void;
}

function FindingRow<Finding>({ group, risk, reason, onJump, onMark, onReason, onLeave }: FindingRowProps<Finding>) {
  const { first } = group;
  const placed = group.all.filter(({ place }) => place !== null);
  // The way there leads to the next of several each time.
  const [turn, setTurn] = useState(0);
  const next = placed[turn % placed.length];
  const shown = turn === 0 ? first : (placed[(turn - 1) % placed.length] ?? first);
  const { kind, says } = first;
  const several = placed.length > 1;
  // A quotation of hidden text has nothing around it.
  const context = says.includes(shown.excerpt) ? "" : shown.excerpt;
  const facts = onReason && kind !== "hidden" ? [KIND_WORD[kind] ?? kind, context] : [context];
  const fact = facts.filter(Boolean).join(" · ");
  return (
    <div className="flex flex-col gap-1 rounded-md px-2 py-1">
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
        <span className="wrap-anywhere line-clamp-4">
          {onReason ? (
            <TriangleAlert aria-hidden className="mr-1.5 inline size-3.5 text-plain" />
          ) : (
            <Lightbulb aria-hidden className="mr-1.5 inline size-3.5 text-quiet" />
          )}
          {says}
        </span>
        {risk && <span className="block font-medium text-xs">{RISK_WORD[risk]}</span>}
        <span className="flex items-baseline gap-1 text-quiet text-xs">
          <span className="min-w-0 truncate">{fact}</span>
          {several && (
            <span className="ml-auto flex shrink-0 items-center whitespace-nowrap">
              {turn === 0
                ? plural(placed.length, { one: "# place", other: "# places" })
                : t`${{ index: ((turn - 1) % placed.length) + 1 }} of ${{ count: placed.length }}`}
              <ChevronRight aria-hidden className="size-3" />
            </span>
          )}
        </span>
      </button>
      {reason !== null && onReason ? (
        <LeaveFindingForm
          label={t`Why this can stay plain: ${{ finding: says }}`}
          action={t({ context: "a finding", message: "Leave" })}
          reason={reason}
          onReason={onReason}
          onLeave={onLeave}
          onCancel={() => onReason(null)}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          {several && turn > 0 && isMarkable(first) && (
            <Button size="sm" className={SMALL} disabled={onMark === null} onClick={() => onMark?.([shown])}>
              <Trans>
                Mark this one
                <span className="sr-only">: {says}</span>
              </Trans>
            </Button>
          )}
          {placed.length > 0 && isMarkable(first) && (
            <Button
              size="sm"
              className={SMALL}
              icon={<Lock aria-hidden className="text-secure" />}
              disabled={onMark === null}
              onClick={() => onMark?.(placed)}
            >
              {several ? t`Mark all ${{ count: numberText(placed.length) }}` : t`Mark`}
              <span className="sr-only">: {says}</span>
            </Button>
          )}
          {onReason && (
            <Button size="sm" className={SMALL} onClick={() => onReason("")}>
              <Trans>
                Leave
                <span className="sr-only"> as it is: {says}</span>
              </Trans>
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** What was sent is marked by now, and what was not checked has no place. */
function isMarkable({ kind }: { kind: string }): boolean {
  return kind !== "sent" && kind !== "limit";
}
