import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useRef, useState } from "react";
import {
  type Timed,
  type TimedTransfer,
  type TimingFigure,
  type TimingsAnswers,
  timingsHref,
  timingsQuery,
} from "@/api/timings";
import { periodText } from "@/components/charts/axes";
import { Button, buttonClass } from "@/components/ui/Button";
import { Bytes } from "@/components/ui/Bytes";
import { Dialog } from "@/components/ui/Dialog";
import { Loaded } from "@/components/ui/Loaded";
import { modeNameInText } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { absoluteText } from "@/lib/times";
import { shareClassText } from "./classes";
import { FIGURE_NAME } from "./figures";
import { figuresOf, isoOf, queryOf } from "./timings-search";
import { useTimingsView } from "./timings-view";
import { linkOf } from "./transfer-link";

export interface ChosenCell {
  figure: TimingFigure;
  /** The start of its column, which is `widthS` wide. */
  at: string;
  widthS: number;
  lowMs: number;
  highMs: number;
  /** How many transfers it has. */
  count: number;
}

const FEW = 50;
/** As many as the gateway answers with. */
const MOST = 100_000;
const MANY = 1000;

/** The transfers in a cell of the heatmap. Each links to where it is listed. */
export function CellDialog({ cell, onClose }: { cell: ChosenCell; onClose: () => void }) {
  const { search } = useTimingsView();
  const { figure, at, widthS, lowMs, highMs } = cell;
  const [limit, setLimit] = useState(FEW);
  const span = { since: at, until: isoOf(Date.parse(at) + widthS * 1000) };
  const found = useQuery({
    ...timingsQuery("cell", figuresOf({ ...search, ...span }), () => queryOf({ ...search, ...span }, Date.now()), {
      figure,
      low_ms: lowMs,
      high_ms: highMs,
      limit,
    }),
    placeholderData: keepPreviousData,
  });
  // Not the close button, whose tooltip would take the first Escape.
  const list = useRef<HTMLDivElement>(null);
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t`${FIGURE_NAME[figure]} of ${durationText(lowMs)} to ${durationText(highMs)}`}
      description={periodText(at, widthS)}
      width="lg"
      initialFocus={list}
    >
      <div ref={list} tabIndex={-1} className="outline-none">
        <Loaded query={found} what={t`the transfers`}>
          {(listed) =>
            listed.answer.transfers.length === 0 ? (
              <p className="text-quiet text-sm">{t`These transfers are no longer listed one by one. Only their sums are kept.`}</p>
            ) : (
              <Listed listed={listed} count={cell.count} onMore={limit < MANY ? () => setLimit(MANY) : null} />
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
}

interface ListedProps {
  listed: Timed<TimingsAnswers["cell"]>;
  /** How many the cell has, by the heatmap. */
  count: number;
  /** Lists more, if that is possible. */
  onMore: (() => void) | null;
}

function Listed({ listed: { query, options, answer }, count, onMore }: ListedProps) {
  const { transfers, more } = answer;
  // The heatmap may be a little older.
  const all = Math.max(count, transfers.length + 1);
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <p role="status" className="text-quiet text-sm">
          {more
            ? t`The latest ${numberText(transfers.length)} of ${plural(all, { one: "# transfer", other: "# transfers" })}. The CSV file has all.`
            : plural(transfers.length, { one: "# transfer", other: "# transfers" })}
        </p>
        {more && onMore && <Button size="sm" onClick={onMore}>{t`Show up to ${numberText(MANY)}`}</Button>}
        <a
          href={timingsHref("cell", { query, options: { ...options, limit: MOST } }, "csv")}
          download="timings-cell.csv"
          className={buttonClass("quiet", "sm")}
        >
          <Download aria-hidden />
          CSV
        </a>
      </div>
      <ul className="divide-y divide-line text-sm">
        {transfers.map((transfer) => (
          <Row key={`${transfer.direction} ${transfer.transfer_id}`} transfer={transfer} />
        ))}
      </ul>
    </>
  );
}

function Row({ transfer }: { transfer: TimedTransfer }) {
  const { direction, at, peer, mode, size, share, value_ms, clock_moved } = transfer;
  const when = absoluteText(new Date(at));
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 py-2.5">
      <span className="wrap-anywhere min-w-0">
        <Link {...linkOf(transfer)} className="font-medium">
          {direction === "sent" ? t`To ${peer}, ${when}` : t`From ${peer}, ${when}`}
        </Link>
        <span className="block text-quiet">
          <Trans>
            <Bytes value={size} />, {modeNameInText(mode)}. Classified: {shareClassText(share)}
          </Trans>
        </span>
      </span>
      <span className="whitespace-nowrap">{durationText(value_ms)}</span>
      {clock_moved && <span className="w-full text-quiet">{t`The clock was set back during this transfer.`}</span>}
    </li>
  );
}
