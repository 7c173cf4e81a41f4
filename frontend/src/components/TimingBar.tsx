import { t } from "@lingui/core/macro";
import { cx } from "@/lib/cx";
import { durationText } from "@/lib/durations";

export interface TimingSegment {
  id: string;
  label: string;
  ms: number;
  /** The channels that were in use; "work" if none was. */
  kind: "secure" | "plain" | "both" | "work";
}

interface TimingBarProps {
  /** The table's caption. */
  caption: string;
  /** In order of time, without overlap. */
  segments: readonly TimingSegment[];
  totalMs: number;
  /** The bar alone; the table is for screen readers. */
  compact?: boolean;
}

const DRAWN: Record<TimingSegment["kind"], string> = {
  secure: "bar-secure",
  plain: "bar-plain",
  both: "bar-both",
  work: "bar-work",
};

/** Where the time went: a bar in true proportion and a table of the figures. */
export function TimingBar({ caption, segments, totalMs, compact = false }: TimingBarProps) {
  const sum = segments.reduce((total, segment) => total + segment.ms, 0);
  const whole = Math.max(totalMs, sum, Number.MIN_VALUE);
  return (
    <div>
      <div aria-hidden className={cx("flex gap-px overflow-hidden rounded-sm bg-ink/6", compact ? "h-2" : "h-4")}>
        {segments.map((segment) => (
          <span
            key={segment.id}
            title={`${segment.label}: ${durationText(segment.ms)}`}
            className={cx("h-full min-w-px", DRAWN[segment.kind])}
            style={{ width: `${(segment.ms / whole) * 100}%` }}
          />
        ))}
      </div>
      {/* sr-only does not shrink a table, so it is on a wrapper. */}
      <div className={compact ? "sr-only" : "mt-3"}>
        <table className="w-full text-sm">
          <caption className="sr-only">{caption}</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">{t`Phase`}</th>
              <th scope="col">{t({ context: "duration", message: "Time" })}</th>
              <th scope="col">{t({ context: "proportion", message: "Share" })}</th>
            </tr>
          </thead>
          <tbody>
            {segments.map((segment) => (
              <tr key={segment.id} className="border-line border-b last:border-b-0">
                <th scope="row" className="py-1.5 pr-4 text-left font-normal">
                  <span
                    aria-hidden
                    className={cx("mr-2 inline-block h-2.5 w-4 rounded-[2px] align-baseline", DRAWN[segment.kind])}
                  />
                  {segment.label}
                </th>
                <td className="py-1.5 pr-4 text-right">{durationText(segment.ms)}</td>
                <td className="w-14 py-1.5 text-right text-quiet">{Math.round((segment.ms / whole) * 100)} %</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="border-edge/60 border-t font-medium">
              <th scope="row" className="py-1.5 pr-4 text-left font-medium">
                {t`Total`}
              </th>
              <td className="py-1.5 pr-4 text-right">{durationText(totalMs)}</td>
              <td />
            </tr>
          </tfoot>
        </table>
      </div>
    </div>
  );
}
