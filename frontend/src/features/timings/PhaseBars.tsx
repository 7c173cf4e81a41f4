import { plural, t } from "@lingui/core/macro";
import type { TimedPhase } from "@/api/timings";
import { cx } from "@/lib/cx";
import { durationText } from "@/lib/durations";
import { PHASES, type PhaseBar } from "./phases";
import "./phases.css";

/** The pattern of a phase, as in the bars. */
const PATTERN: Record<TimedPhase, string> = {
  waiting: "phase-waiting",
  sieve: "phase-sieve",
  split: "phase-split",
  establishment: "phase-establishment",
  data_transfer: "phase-data_transfer",
  combine: "phase-combine",
  integrate: "phase-integrate",
  storing: "phase-storing",
};

interface PhaseLegendProps {
  hidden: ReadonlySet<TimedPhase>;
  onToggle: (phase: TimedPhase) => void;
}

/** The patterns of the phases. Each is a button that hides its phase, so that a long one does not dwarf the others. */
export function PhaseLegend({ hidden, onToggle }: PhaseLegendProps) {
  return (
    <fieldset className="flex flex-wrap gap-x-1 gap-y-1">
      <legend className="sr-only">{t`Phases shown`}</legend>
      {PHASES.map(({ id, label, means }) => (
        <button
          key={id}
          type="button"
          aria-pressed={!hidden.has(id)}
          title={means}
          onClick={() => onToggle(id)}
          className="tap group inline-flex h-7 items-center gap-1.5 rounded-md border border-transparent px-1.5 text-sm hover:border-edge aria-[pressed=false]:text-quiet aria-[pressed=false]:line-through"
        >
          <span
            aria-hidden
            className={cx("h-3 w-5 rounded-[2px] group-aria-[pressed=false]:opacity-35", PATTERN[id])}
          />
          {label}
        </button>
      ))}
    </fieldset>
  );
}

interface PhaseBarsProps {
  /** What the bars are, for screen readers. */
  label: string;
  bars: readonly PhaseBar[];
  /** All bars have the same length; otherwise they are as long as they take. */
  sameLength: boolean;
}

/** A stacked bar for each group. */
export function PhaseBars({ label, bars, sameLength }: PhaseBarsProps) {
  return (
    <ul
      aria-label={label}
      className="flex flex-col gap-x-4 gap-y-3 text-sm sm:grid sm:grid-cols-[auto_1fr_auto] sm:gap-y-2"
    >
      {bars.map((bar) => (
        <li
          key={bar.key}
          className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 sm:col-span-3 sm:grid-cols-subgrid sm:items-center"
        >
          <span className="wrap-anywhere min-w-0 sm:max-w-56">{bar.label}</span>
          <span
            role="img"
            aria-label={bar.parts.map((part) => `${part.label} ${durationText(part.ms)}`).join(", ") || t`No time`}
            className="h-6 min-w-0 max-sm:order-last max-sm:col-span-2"
          >
            <span
              className="flex h-full min-w-0.5 gap-px overflow-hidden rounded-sm bg-ink/6"
              style={{ width: `${sameLength ? 100 : bar.length * 100}%` }}
            >
              {bar.parts.map((part) => (
                <Part key={part.id} id={part.id} label={part.label} ms={part.ms} share={part.share} />
              ))}
            </span>
          </span>
          <span className="text-right">
            {durationText(bar.totalMs)}
            <span className="block text-quiet text-xs">
              {plural(bar.count, { one: "# transfer", other: "# transfers" })}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** A phase in a bar. Its name is below the bar's edge, and so hidden, where it does not fit. */
function Part({ id, label, ms, share }: { id: TimedPhase; label: string; ms: number; share: number }) {
  return (
    <span
      title={`${label}: ${durationText(ms)}`}
      className={cx("flex h-full min-w-px flex-wrap overflow-hidden", PATTERN[id])}
      style={{ width: `${share * 100}%` }}
    >
      <span className="h-full w-px" />
      <span className="flex h-full items-center px-1">
        <span className="whitespace-nowrap rounded-sm bg-paper px-1 text-xs leading-4">{label}</span>
      </span>
    </span>
  );
}
