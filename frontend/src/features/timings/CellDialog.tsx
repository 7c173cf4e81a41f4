import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { type TimedTransfer, type TimingFigure, timingsQuery } from "@/api/timings";
import { Bytes } from "@/components/ui/Bytes";
import { Dialog } from "@/components/ui/Dialog";
import { Loaded } from "@/components/ui/Loaded";
import { modeNameInText } from "@/features/transfers/modes";
import { durationText } from "@/lib/durations";
import { percentInText } from "@/lib/percent";
import { absoluteText } from "@/lib/times";
import { periodText } from "./axes";
import { FIGURE_NAME } from "./figures";
import { shareOf } from "./points";
import { figuresOf, isoOf, queryOf } from "./timings-search";
import { linkOf } from "./transfer-link";
import { useTimingsView } from "./use-timings";

export interface ChosenCell {
  figure: TimingFigure;
  /** The start of its column, which is `widthS` wide. */
  at: string;
  widthS: number;
  lowMs: number;
  highMs: number;
}

/** The transfers in a cell of the heatmap. Each links to where it is listed. */
export function CellDialog({ cell, onClose }: { cell: ChosenCell; onClose: () => void }) {
  const { search } = useTimingsView();
  const { figure, at, widthS, lowMs, highMs } = cell;
  const span = { since: at, until: isoOf(Date.parse(at) + widthS * 1000) };
  const found = useQuery(
    timingsQuery("cell", figuresOf({ ...search, ...span }), () => queryOf({ ...search, ...span }, Date.now()), {
      figure,
      low_ms: lowMs,
      high_ms: highMs,
    }),
  );
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
          {({ answer: { transfers, more } }) =>
            transfers.length === 0 ? (
              <p className="text-quiet text-sm">{t`These transfers are no longer listed one by one. Only their sums are kept.`}</p>
            ) : (
              <>
                <ul className="divide-y divide-line text-sm">
                  {transfers.map((transfer) => (
                    <Row key={`${transfer.direction} ${transfer.transfer_id}`} transfer={transfer} />
                  ))}
                </ul>
                {more && (
                  <p className="mt-3 text-quiet text-sm">{t`Only the latest ${plural(transfers.length, { one: "# transfer is", other: "# transfers are" })} listed.`}</p>
                )}
              </>
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
}

function Row({ transfer }: { transfer: TimedTransfer }) {
  const { direction, at, peer, mode, size, classified_size, value_ms } = transfer;
  const when = absoluteText(new Date(at));
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 py-2.5">
      <span className="wrap-anywhere min-w-0">
        <Link {...linkOf(transfer)} className="font-medium">
          {direction === "sent" ? t`To ${peer}, ${when}` : t`From ${peer}, ${when}`}
        </Link>
        <span className="block text-quiet">
          <Trans>
            <Bytes value={size} />, {percentInText(shareOf(classified_size, size))} classified, {modeNameInText(mode)}
          </Trans>
        </span>
      </span>
      <span className="whitespace-nowrap">{durationText(value_ms)}</span>
    </li>
  );
}
