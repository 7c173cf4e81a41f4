import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import type { TimingsQueue } from "@/api/timings";
import { periodText } from "@/components/charts/axes";
import { FigureTable } from "@/components/FigureTable";
import { Subsection } from "@/components/Subsection";
import { STATE_WORD } from "@/features/transfers/phase";
import { numberText } from "@/lib/numbers";
import { absoluteText } from "@/lib/times";
import { causeText } from "./figures";
import { CAUSES_TITLE, DEADLINES_TITLE, NOW_FIGURES, peerStateText, waitedText } from "./QueueFigures";
import { worstFirst } from "./queue";

/** Everything that the panel shows of the queue, as tables. */
export function QueueTable({ queue }: { queue: TimingsQueue }) {
  const { series, causes, peers, deadlines } = queue;
  const { columns, accepted, ended, width_s } = series;
  return (
    <div className="flex flex-col gap-8">
      <Subsection title={t`Now`}>
        <FigureTable
          caption={t`Now`}
          columns={[t`Figure`, t`Value`]}
          rows={NOW_FIGURES.map(({ term, of, more }) => ({
            key: term,
            cells: [term, [of(queue), more?.(queue)].filter(Boolean).join(", ")],
          }))}
        />
      </Subsection>
      <Subsection title={t`Transfers over time`}>
        <FigureTable
          caption={t`Transfers over time`}
          columns={[t`Period`, t`Accepted`, t`Ended`]}
          rows={columns.map((at, index) => ({
            key: at,
            cells: [periodText(at, width_s), accepted ? accepted[index] : "–", ended[index]],
          }))}
        />
      </Subsection>
      {causes.length > 0 && (
        <Subsection title={CAUSES_TITLE}>
          <FigureTable
            caption={CAUSES_TITLE}
            columns={[t`Reason`, t`Attempts`]}
            rows={causes.map(({ cause, label, count }) => ({
              key: cause,
              cells: [causeText({ cause, label }), numberText(count)],
            }))}
          />
        </Subsection>
      )}
      {deadlines.length > 0 && (
        <Subsection title={DEADLINES_TITLE}>
          <FigureTable
            caption={DEADLINES_TITLE}
            columns={[t`Transfer`, t`State`, t`Deadline`]}
            rows={deadlines.map(({ transfer_id, peer, deadline_at, state }) => ({
              key: transfer_id,
              cells: [
                <Link key="transfer" to="/sent/$id" params={{ id: transfer_id }}>{t`Transfer to ${peer}`}</Link>,
                STATE_WORD[state],
                absoluteText(new Date(deadline_at)),
              ],
            }))}
          />
        </Subsection>
      )}
      <Subsection title={t`Peers`}>
        <FigureTable
          caption={t`Peers`}
          columns={[
            t`Peer`,
            t`State`,
            t`Failures in a row`,
            t`Paused until`,
            t`Waiting`,
            t`Oldest has waited`,
            t`Last delivered`,
          ]}
          rows={worstFirst(peers).map((peer) => ({
            key: peer.name,
            cells: [
              peer.name,
              peerStateText(peer),
              numberText(peer.failures),
              peer.breaker_open_until ? absoluteText(new Date(peer.breaker_open_until)) : "–",
              numberText(peer.waiting),
              waitedText(peer.oldest_waiting_s),
              peer.last_delivered_at ? absoluteText(new Date(peer.last_delivered_at)) : t`Never`,
            ],
          }))}
        />
      </Subsection>
    </div>
  );
}
