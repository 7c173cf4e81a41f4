import { plural, t } from "@lingui/core/macro";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import type { Headline, TimingFigure, TimingsSummary } from "@/api/timings";
import { ShareBar } from "@/components/ShareBar";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { absoluteText } from "@/lib/times";
import { changeOf } from "./changes";
import { FIGURE_MEANS, FIGURE_NAME, QUANTILES } from "./figures";
import { HeadlineTable } from "./HeadlineTable";
import { Panel } from "./Panel";
import { FIGURES } from "./timings-search";
import { useTimings } from "./use-timings";

/** Whether transfers are well: how many, how long, and how many failed, each beside the same span before. */
export function HeadlinePanel() {
  const loaded = useTimings("summary");
  return (
    <Panel
      lead={leadOf(loaded.data?.answer)}
      part="summary"
      loaded={loaded}
      lines={5}
      table={(summary) => <HeadlineTable {...summary} />}
    >
      {(summary) => (
        <div className="flex flex-col gap-6">
          <Counts {...summary} />
          <Durations {...summary} />
          {summary.own > 0 && (
            <p className="text-quiet text-sm">
              {plural(summary.own, {
                one: "# transfer went to people of this gateway. It counts once, as sent.",
                other: "# transfers went to people of this gateway. They count once, as sent.",
              })}
            </p>
          )}
          {summary.current.clock_moved > 0 && (
            <p className="text-quiet text-sm">{t`The clock was set back during ${plural(summary.current.clock_moved, { one: "# transfer", other: "# transfers" })}. Times that would be negative are counted as 0.`}</p>
          )}
        </div>
      )}
    </Panel>
  );
}

/** A part of the length by which the range before may differ and still be called of the same length. */
const ALIKE = 0.01;

function leadOf(summary: TimingsSummary | undefined): string {
  const alike = t`Each figure is beside the time range of the same length just before.`;
  if (!summary) return alike;
  const [since = 0, until = 0, from = 0, to = 0] = [
    summary.since,
    summary.until,
    summary.previous_since,
    summary.previous_until,
  ].map((at) => Date.parse(at));
  if (Math.abs(to - from - (until - since)) <= ALIKE * (until - since)) return alike;
  // With several filters only whole hours or days are kept of some days ago.
  return t`Each figure is beside the time from ${absoluteText(new Date(from))} to ${absoluteText(new Date(to))}.`;
}

const whole = (value: number) => numberText(value);

function Counts({ current, previous }: TimingsSummary) {
  const bytes = current.secure_bytes + current.plain_bytes;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg bg-line shadow-sheet sm:grid-cols-3 lg:grid-cols-6">
      <Tile
        name={t`Transfers`}
        value={whole(current.transfers)}
        change={[current.transfers, previous.transfers, whole]}
      >
        {current.cancelled > 0 && plural(current.cancelled, { one: "# cancelled", other: "# cancelled" })}
      </Tile>
      <Tile
        name={t({ context: "how many", message: "Failed" })}
        value={whole(current.failed)}
        change={[current.failed, previous.failed, whole]}
      >
        {current.failed > 0 && t`${percentText(current.failed / Math.max(current.transfers, 1))} of transfers`}
      </Tile>
      <Tile name={t`Retries`} value={whole(current.retries)} change={[current.retries, previous.retries, whole]} />
      <Tile
        name={t`On the secure channel`}
        value={sizeText(current.secure_bytes)}
        change={[current.secure_bytes, previous.secure_bytes, sizeText]}
      />
      <Tile
        name={t`On the plain channel`}
        value={sizeText(current.plain_bytes)}
        change={[current.plain_bytes, previous.plain_bytes, sizeText]}
      />
      <Tile
        name={t`Needed no encryption`}
        value={current.plain_share === null ? "–" : percentText(current.plain_share)}
        change={[current.plain_share, previous.plain_share, (share) => percentText(share).toLowerCase()]}
      >
        {bytes > 0 && <ShareBar secure={current.secure_bytes / bytes} className="h-1.5 w-full" />}
      </Tile>
    </dl>
  );
}

interface TileProps {
  name: string;
  value: string;
  change: [now: number | null, before: number | null, write: (value: number) => string];
  children?: ReactNode;
}

function Tile({ name, value, change, children }: TileProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1 bg-paper px-4 py-3">
      <dt className="text-quiet text-sm">{name}</dt>
      <dd className="font-serif text-2xl leading-tight">{value}</dd>
      <dd className="text-quiet text-xs">
        <ChangeText change={change} />
      </dd>
      {children && <dd className="text-quiet text-xs">{children}</dd>}
    </div>
  );
}

/** On a phone the word alone. */
const ARROW = "size-3 shrink-0 max-sm:hidden";

function ChangeText({ change }: Pick<TileProps, "change">) {
  const { direction, text } = changeOf(...change);
  return (
    <span className="inline-flex items-center gap-1">
      {direction === "up" && <ArrowUp aria-hidden className={ARROW} />}
      {direction === "down" && <ArrowDown aria-hidden className={ARROW} />}
      {text}
    </span>
  );
}

function Durations({ current, previous }: { current: Headline; previous: Headline }) {
  return (
    <div className="overflow-x-auto rounded-lg bg-paper shadow-sheet">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{t`Durations of delivered transfers`}</caption>
        <thead>
          <tr className="border-line border-b">
            <th scope="col" className="px-4 py-2.5 text-left font-medium text-quiet">{t`Duration`}</th>
            {QUANTILES.map(({ id, label, means }) => (
              <th
                key={id}
                scope="col"
                title={means}
                className="px-1.5 py-2.5 text-right font-medium text-quiet last:pr-4 sm:px-4"
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FIGURES.map((figure) => (
            <DurationRow key={figure} figure={figure} current={current} previous={previous} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DurationRow({ figure, current, previous }: { figure: TimingFigure; current: Headline; previous: Headline }) {
  return (
    <tr className="border-line border-b align-top last:border-b-0">
      <th scope="row" className="py-2.5 pr-1.5 pl-4 text-left font-medium sm:px-4">
        {FIGURE_NAME[figure]}
        <span className="block font-normal text-quiet text-xs max-sm:sr-only">{FIGURE_MEANS[figure]}</span>
      </th>
      {QUANTILES.map(({ id }) => {
        const value = current[figure][id];
        return (
          <td key={id} className="px-1.5 py-2.5 text-right last:pr-4 sm:px-4">
            <span className="whitespace-nowrap">{value === null ? "–" : durationText(value)}</span>
            <span className="block text-quiet text-xs">
              <ChangeText change={[value, previous[figure][id], durationText]} />
            </span>
          </td>
        );
      })}
    </tr>
  );
}
