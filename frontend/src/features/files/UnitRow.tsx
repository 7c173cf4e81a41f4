import { t } from "@lingui/core/macro";
import { EyeOff, Lock, LockOpen } from "lucide-react";
import { memo } from "react";
import type { Format, Unit } from "@/api/files";
import { saidText } from "@/api/sentence-text";
import { cx } from "@/lib/cx";
import { type MarkIndex, whole } from "./model/marks";
import { isNamed, whereText } from "./model/place-names";
import { runsOf } from "./model/runs";
import { useViewedFile } from "./viewed-file";

/** How a unit is marked. Primitive values, so that a row is drawn again only when they change. */
export interface Marking {
  /** The unit or a part that contains it is marked whole. */
  readonly all: boolean;
  /** The unit itself is marked whole. */
  readonly own: boolean;
  /** Code points: "3-7 9-12". */
  readonly ranges: string;
  /** A line for each range, or one for all of it. */
  readonly labels: string;
}

export function markingOf(index: MarkIndex, address: string): Marking {
  const covering = index.covering(address);
  const ranges = index.ranges(address);
  const labels = covering === null ? ranges.map((range) => index.labels(address, range)) : [index.labels(address)];
  return {
    all: covering !== null,
    own: covering === address,
    ranges: ranges.map(({ start, end }) => `${start}-${end}`).join(" "),
    labels: labels.map((label) => label.replaceAll("\n", " ")).join("\n"),
  };
}

interface UnitRowProps extends Marking {
  unit: Unit;
  format: Format;
}

/**
 * A unit with its marks and, for its author, a button that marks all of it. A part without text has only its name and
 * the button.
 */
export const UnitRow = memo(function UnitRow({ unit, format, all, own, ranges, labels }: UnitRowProps) {
  const { marking } = useViewedFile();
  const { address, text, kind } = unit;
  const hidden = saidText(unit.hidden_said, unit.hidden);
  const where = whereText(format, address);
  const marked = rangesOf(ranges);
  const runs = runsOf(text, marked, all);
  const names = labels.split("\n");
  const labelAt = (at: number) => names[all ? 0 : marked.findIndex(({ start }) => start === at)] || undefined;
  const inPart = all && !own;
  return (
    <div className={cx("unit", !marking && "unit-read", hidden && "unit-hidden", unit.cells.length > 0 && "unit-cell")}>
      {marking && (
        <button
          type="button"
          tabIndex={text === "" ? 0 : -1}
          aria-label={own ? t`Unmark all of ${where}` : t`Mark all of ${where}`}
          aria-pressed={all}
          disabled={inPart}
          title={inPart ? t`Classified as part of a larger mark` : own ? t`Unmark all of it` : t`Mark all of it`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => (own ? marking.unmark([whole(address)], where) : marking.mark([whole(address)], where))}
          className={cx("unit-lock", text === "" && "unit-lock-shown")}
        >
          {all ? <Lock aria-hidden /> : <LockOpen aria-hidden />}
        </button>
      )}
      {!marking && all && text === "" && <Lock aria-label={t`Classified`} className="mt-1 size-3.5 text-secure" />}
      <div className="min-w-0">
        {(hidden || text === "") && (
          <p className="flex select-none items-center gap-1.5 font-sans text-quiet text-xs">
            {hidden && <EyeOff aria-hidden className="size-3.5 shrink-0" />}
            <span className="wrap-anywhere">
              {text === "" ? (hidden ? `${address}, ${hidden}` : `${address} (${kind})`) : noteOf(unit, hidden)}
            </span>
          </p>
        )}
        {hidden === "" && text !== "" && isNamed(address) && (
          <p className="select-none font-sans text-quiet text-xs">{where}</p>
        )}
        {text !== "" && (
          <p data-address={address} className="document unit-text">
            {runs.map((run) =>
              run.classified ? (
                <mark key={run.at} data-at={run.at} data-label={labelAt(run.at)} className="classified">
                  {run.text}
                </mark>
              ) : (
                <span key={run.at} data-at={run.at}>
                  {run.text}
                </span>
              ),
            )}
          </p>
        )}
      </div>
    </div>
  );
});

/** Names of kinds are English, so only an English phrase has one before it, unless the phrase already says it. */
function noteOf({ kind, hidden }: Unit, shown: string): string {
  return shown !== hidden || hidden.includes(kind) ? shown : `${kind}: ${hidden}`;
}

function rangesOf(ranges: string) {
  if (ranges === "") return [];
  return ranges.split(" ").map((range) => {
    const [start = 0, end = 0] = range.split("-").map(Number);
    return { start, end };
  });
}
