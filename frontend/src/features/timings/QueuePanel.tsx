import { plural, t } from "@lingui/core/macro";
import { type ReactNode, useState } from "react";
import type uPlot from "uplot";
import type { TimingsQueue } from "@/api/timings";
import { axis, Chart, type ChartOptions, timeAxis } from "@/components/charts/Chart";
import type { ChartColors } from "@/components/charts/chart-colors";
import { Subsection } from "@/components/Subsection";
import { Button } from "@/components/ui/Button";
import { DataTable } from "@/components/ui/DataTable";
import { spanText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { listText } from "@/lib/prose";
import { FILTER_NAME } from "./figures";
import { Panel } from "./Panel";
import { CAUSES_TITLE, CauseBars, DEADLINES_TITLE, Deadlines, PEER_COLUMNS, QueueFigures } from "./QueueFigures";
import { QueueTable } from "./QueueTable";
import { worstFirst } from "./queue";
import { FILTERS, type FilterName } from "./timings-search";
import { useTimingsView } from "./timings-view";
import { useTimings } from "./use-timings";

const FIRST_PEERS = 8;

/** The queue now, how it moved, why attempts failed, and the state of each peer. */
export function QueuePanel() {
  const loaded = useTimings("queue");
  return (
    <Panel
      lead={t`What this gateway has to send now, what ended and why, and which peers are paused.`}
      part="queue"
      loaded={loaded}
      isEmpty={({ peers, depth, causes, series }) =>
        peers.length === 0 && depth === 0 && causes.length === 0 && sum(series.ended) === 0
      }
      empty={t`Nothing waits, nothing ended in this time range, and there is no peer.`}
      table={(queue) => <QueueTable queue={queue} />}
    >
      {(queue) => <Queue queue={queue} />}
    </Panel>
  );
}

function Queue({ queue }: { queue: TimingsQueue }) {
  const [allPeers, setAllPeers] = useState(false);
  const peers = worstFirst(queue.peers);
  const { causes, deadlines } = queue;
  return (
    <div className="flex flex-col gap-8">
      <div className="flex flex-col gap-3">
        <QueueFigures queue={queue} />
        <FiltersOfQueue />
      </div>
      <Subsection title={t`Transfers over time`}>
        <QueueChart series={queue.series} />
      </Subsection>
      <div className="grid gap-8 md:grid-cols-2">
        <Subsection title={CAUSES_TITLE}>
          {causes.length > 0 ? <CauseBars causes={causes} /> : <Nothing>{t`None in this time range.`}</Nothing>}
        </Subsection>
        <Subsection title={DEADLINES_TITLE}>
          {deadlines.length > 0 ? <Deadlines deadlines={deadlines} /> : <Nothing>{t`No transfer is due.`}</Nothing>}
        </Subsection>
      </div>
      <Subsection title={t`Peers`}>
        <DataTable
          caption={t`Peers`}
          columns={PEER_COLUMNS}
          rows={allPeers ? peers : peers.slice(0, FIRST_PEERS)}
          rowId={({ name }) => name}
          empty={<Nothing>{t`There are no peers.`}</Nothing>}
          footer={
            peers.length > FIRST_PEERS && (
              <Button size="sm" onClick={() => setAllPeers(!allPeers)}>
                {allPeers ? t`Show the first ${FIRST_PEERS}` : t`Show all ${numberText(peers.length)}`}
              </Button>
            )
          }
        />
      </Subsection>
    </div>
  );
}

/** What a transfer has before it ends. */
const KNOWN_BEFORE: readonly FilterName[] = ["peer", "mode", "size", "share"];

/** Which of the filters do not apply to what waits. */
function FiltersOfQueue() {
  const { search } = useTimingsView();
  const late = FILTERS.filter(
    (name) => name !== "direction" && !KNOWN_BEFORE.includes(name) && search[name] !== undefined,
  ).map((name) => FILTER_NAME[name]);
  return (
    <>
      {search.direction === "received" && (
        <Nothing>{t`The direction does not apply here: only what is sent waits.`}</Nothing>
      )}
      {late.length > 0 && (
        <Nothing>{t`These filters apply only to what ended, because what waits does not have them yet: ${listText(late)}.`}</Nothing>
      )}
      {search.mode !== undefined && <Nothing>{t`Of what waits, the mode is the one that its author chose.`}</Nothing>}
    </>
  );
}

function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-quiet text-sm">{children}</p>;
}

function QueueChart({ series }: { series: TimingsQueue["series"] }) {
  const { columns, accepted, ended, width_s } = series;
  if (sum(ended) + sum(accepted ?? []) === 0) return <Nothing>{t`No transfer ended in this time range.`}</Nothing>;
  const times = columns.map((at) => Date.parse(at) / 1000);
  const data: uPlot.AlignedData = [times, ended, ...(accepted ? [accepted] : [])];
  return (
    <>
      <Chart
        // A chart keeps its number of lines.
        key={accepted ? "both" : "ended"}
        label={
          accepted
            ? t`${plural(sum(accepted), { one: "# transfer", other: "# transfers" })} came in, ${sum(ended)} ended`
            : plural(sum(ended), { one: "# transfer ended", other: "# transfers ended" })
        }
        data={data}
        options={accepted ? queueOptions : endedOptions}
        height={200}
      />
      <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        {accepted && <Line className="border-ink border-dashed">{t`Accepted from authors`}</Line>}
        <Line className="border-focus">{t`Ended: delivered, failed or cancelled`}</Line>
        <li className="text-quiet">{t`Each value counts ${spanText(width_s)}.`}</li>
        {!accepted && <li className="text-quiet">{t`What authors sent is not counted with these filters.`}</li>}
      </ul>
    </>
  );
}

function Line({ className, children }: { className: string; children: ReactNode }) {
  return (
    <li className="flex items-center gap-2">
      <span aria-hidden className={`w-6 border-t-2 ${className}`} />
      {children}
    </li>
  );
}

function queueOptions(look: ChartColors): ChartOptions {
  return {
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(max * 1.05, 1)] } },
    axes: [
      timeAxis(look),
      { ...axis(look), incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000] },
    ],
    // The dashes are drawn last: while the queue is empty, both lines are the same.
    series: [{}, { stroke: look.focus, width: 2 }, { stroke: look.ink, width: 2, dash: [4, 6] }],
  };
}

function endedOptions(look: ChartColors): ChartOptions {
  const { series, ...options } = queueOptions(look);
  return { ...options, series: series.slice(0, 2) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
