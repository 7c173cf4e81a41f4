import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import type { TimingsPoints } from "@/api/timings";
import { modeName } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { absoluteText } from "@/lib/times";
import { FigureTable } from "./FigureTable";
import { shareOf } from "./points";
import { linkOf, timedOf } from "./transfer-link";

const COLUMNS = [t`Ended`, t`Response`, t`Size`, t`Share classified`, t`Sent over`, t`Direction`];

interface PointTableProps {
  points: TimingsPoints;
  /** The rows of the columns to show, in this order. */
  rows: readonly number[];
  /** How many points they are chosen from. */
  of: number;
}

/** Points as rows. Those that were sent from here lead to their transfers. */
export function PointTable({ points, rows, of }: PointTableProps) {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-quiet text-sm">
        {of === 0
          ? t`No transfer is in view. Zoom out, or show all points.`
          : rows.length < of
            ? t`The slowest ${numberText(rows.length)} of the ${numberText(of)} transfers in view. The CSV file has all.`
            : t`The transfers in view, the slowest first.`}
      </p>
      <FigureTable
        caption={t`The slowest transfers in view`}
        columns={COLUMNS}
        rows={rows.map((row) => {
          const [id = "", size = 0] = [points.transfer_id[row], points.size[row]];
          const at = absoluteText(new Date(points.at[row] ?? 0));
          const sent = points.direction[row] === "sent";
          return {
            key: `${id} ${row}`,
            cells: [
              <Link key="at" {...linkOf(timedOf(points, row))}>
                {at}
              </Link>,
              durationText(points.response_ms[row] ?? 0),
              sizeText(size),
              percentText(shareOf(points.classified_size[row] ?? 0, size)),
              modeName(points.mode[row] ?? ""),
              sent ? t({ context: "a transfer", message: "Sent" }) : t`Received`,
            ],
          };
        })}
      />
    </div>
  );
}
