import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import type { TimingsPoints } from "@/api/timings";
import { modeName } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { sizeText } from "@/lib/sizes";
import { absoluteText } from "@/lib/times";
import { shareClassText } from "./classes";
import { PagedTable } from "./PagedTable";
import { linkOf, timedOf } from "./transfer-link";

const COLUMNS = [t`Ended`, t`Response`, t`Size`, t`Share classified`, t`Sent over`, t`Direction`];

interface PointTableProps {
  points: TimingsPoints;
  /** The rows of the columns to show, in this order. */
  rows: readonly number[];
}

/** Points as rows. Each leads to its transfer, or to the document that it delivered here. */
export function PointTable({ points, rows }: PointTableProps) {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-quiet text-sm">
        {rows.length === 0
          ? t`No transfer is in view. Zoom out, or show all points.`
          : t`The transfers in view, the slowest first.`}
      </p>
      <PagedTable
        caption={t`The transfers in view`}
        columns={COLUMNS}
        count={rows.length}
        rowsOf={(from, until) =>
          rows.slice(from, until).map((row) => {
            const [id = "", size = 0] = [points.transfer_id[row], points.size[row]];
            const sent = points.direction[row] === "sent";
            return {
              key: `${id} ${row}`,
              cells: [
                <Link key="at" {...linkOf(timedOf(points, row))}>
                  {absoluteText(new Date(points.at[row] ?? 0))}
                </Link>,
                durationText(points.response_ms[row] ?? 0),
                sizeText(size),
                shareClassText(points.share[row] ?? ""),
                modeName(points.mode[row] ?? ""),
                sent ? t({ context: "a transfer", message: "Sent" }) : t`Received`,
              ],
            };
          })
        }
      />
    </div>
  );
}
