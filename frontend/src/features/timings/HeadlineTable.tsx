import { t } from "@lingui/core/macro";
import type { Headline, TimingsSummary } from "@/api/timings";
import { FigureTable } from "@/components/FigureTable";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { FIGURE_NAME, QUANTILES } from "./figures";
import { FIGURES } from "./timings-search";

const whole = (value: number) => numberText(value);

/** What is counted, in the order of the tiles, and how it is written. */
const COUNTS: readonly { name: string; of: (headline: Headline) => number | null; write: (value: number) => string }[] =
  [
    { name: t`Transfers`, of: ({ transfers }) => transfers, write: whole },
    { name: t({ context: "how many", message: "Delivered" }), of: ({ delivered }) => delivered, write: whole },
    { name: t({ context: "how many", message: "Failed" }), of: ({ failed }) => failed, write: whole },
    { name: t({ context: "how many", message: "Cancelled" }), of: ({ cancelled }) => cancelled, write: whole },
    { name: t`Retries`, of: ({ retries }) => retries, write: whole },
    { name: t`On the secure channel`, of: ({ secure_bytes }) => secure_bytes, write: sizeText },
    { name: t`On the plain channel`, of: ({ plain_bytes }) => plain_bytes, write: sizeText },
    { name: t`Needed no encryption`, of: ({ plain_share }) => plain_share, write: percentText },
    { name: t`The clock was set back`, of: ({ clock_moved }) => clock_moved, write: whole },
  ];

/** All figures of a range and of the one before. */
export function HeadlineTable({ current, previous, own }: TimingsSummary) {
  const text = (value: number | null, write: (value: number) => string) => (value === null ? "–" : write(value));
  const counts = COUNTS.map(({ name, of, write }) => [name, text(of(current), write), text(of(previous), write)]);
  const durations = FIGURES.flatMap((figure) =>
    QUANTILES.map(({ id, label }) => [
      `${FIGURE_NAME[figure]}, ${label.toLowerCase()}`,
      text(current[figure][id], durationText),
      text(previous[figure][id], durationText),
    ]),
  );
  const ofOwn = [t`To people of this gateway`, whole(own), "–"];
  return (
    <FigureTable
      caption={t`All figures`}
      columns={[t`Figure`, t`This time range`, t`The one before`]}
      rows={[...counts, ofOwn, ...durations].map((cells) => ({ key: cells[0] ?? "", cells }))}
    />
  );
}
