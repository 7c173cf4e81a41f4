import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { CircleCheck, PauseCircle, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { TransferState } from "@/api/types";
import { Badge } from "@/components/ui/Badge";
import type { Column } from "@/components/ui/DataTable";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Countdown } from "@/features/transfers/Countdown";
import { STATE_WORD } from "@/features/transfers/phase";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { causeText } from "./figures";
import { type QueuePeer, rateText, type Trend, trendOf } from "./queue";

const TREND: Record<Trend, string> = {
  empty: t`Nothing is waiting.`,
  growing: t`More comes in than goes out: the queue is growing.`,
  shrinking: t`More goes out than comes in: the queue is shrinking.`,
  steady: t`As much goes out as comes in.`,
};

interface QueueNow {
  depth: number;
  sending: number;
  oldest_waiting_s: number | null;
  oldest_sending_s: number | null;
  /** Null if what came in is not counted with these filters. */
  rate_in_per_s: number | null;
  rate_out_per_s: number;
}

interface NowFigure {
  term: string;
  of: (queue: QueueNow) => string;
  /** What is to be said of the figure, in a smaller line below it. */
  more?: (queue: QueueNow) => string | null;
}

/** The author's cancelling is a cause, too. */
export const CAUSES_TITLE = t`Why attempts did not deliver`;
export const DEADLINES_TITLE = t`Deadlines within an hour`;

export const NOW_FIGURES: readonly NowFigure[] = [
  { term: t`Waiting`, of: ({ depth }) => numberText(depth) },
  { term: t`Sending`, of: ({ sending }) => numberText(sending), more: acceptedText },
  { term: t`Oldest has waited`, of: ({ oldest_waiting_s }) => waitedText(oldest_waiting_s) },
  { term: t`In, last hour`, of: ({ rate_in_per_s: rate }) => (rate === null ? "–" : rateText(rate)) },
  { term: t`Out, last hour`, of: ({ rate_out_per_s }) => rateText(rate_out_per_s) },
];

export function waitedText(seconds: number | null): string {
  return seconds === null ? "–" : durationText(Math.round(seconds) * 1000);
}

/** The age of the oldest transfer that is being sent: one that never ends shows by it. */
function acceptedText({ oldest_sending_s: seconds }: QueueNow): string | null {
  const age = waitedText(seconds);
  return seconds === null ? null : t`oldest accepted ${age} ago`;
}

/** The queue as it is now, in five figures and a sentence. */
export function QueueFigures({ queue }: { queue: QueueNow }) {
  const { depth, rate_in_per_s, rate_out_per_s } = queue;
  return (
    <div className="flex flex-col gap-2">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3 lg:grid-cols-5">
        {NOW_FIGURES.map(({ term, of, more }) => (
          <Figure key={term} term={term} more={more?.(queue)}>
            {of(queue)}
          </Figure>
        ))}
      </dl>
      {rate_in_per_s !== null && (
        <p className="text-quiet text-sm">{TREND[trendOf(depth, rate_in_per_s, rate_out_per_s)]}</p>
      )}
    </div>
  );
}

function Figure({ term, more, children }: { term: string; more?: string | null | undefined; children: ReactNode }) {
  return (
    <div className="flex flex-col">
      <dt className="text-quiet text-sm">{term}</dt>
      <dd className="font-serif text-xl">{children}</dd>
      {more && <dd className="text-quiet text-xs">{more}</dd>}
    </div>
  );
}

interface Cause {
  cause: string;
  label: string;
  count: number;
}

/** These also end transfers that wait and were not tried. */
const ENDED_WITHOUT_ATTEMPT: ReadonlySet<string> = new Set(["cancelled", "deadline", "peer-removed"]);

/** Why attempts did not deliver, the most frequent first. */
export function CauseBars({ causes }: { causes: readonly Cause[] }) {
  const most = Math.max(...causes.map(({ count }) => count), 1);
  return (
    <ol className="flex flex-col gap-2 text-sm">
      {causes.map(({ cause, label, count }) => (
        <li key={cause} className="grid grid-cols-[1fr_auto] gap-x-4">
          <span>{causeText({ cause, label })}</span>
          <span>
            {ENDED_WITHOUT_ATTEMPT.has(cause)
              ? plural(count, { one: "# transfer", other: "# transfers" })
              : plural(count, { one: "# attempt", other: "# attempts" })}
          </span>
          <span
            aria-hidden
            className="bar-work col-span-2 h-2 min-w-1 rounded-sm"
            style={{ width: `${(count / most) * 100}%` }}
          />
        </li>
      ))}
    </ol>
  );
}

export const PEER_COLUMNS: readonly Column<QueuePeer>[] = [
  { id: "peer", header: t`Peer`, names: true, cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
  { id: "state", header: t`State`, cell: (peer) => <PeerCondition peer={peer} /> },
  { id: "waiting", header: t`Waiting`, align: "end", cell: ({ waiting }) => numberText(waiting) },
  {
    id: "oldest",
    header: t`Oldest has waited`,
    align: "end",
    cell: ({ oldest_waiting_s }) => waitedText(oldest_waiting_s),
  },
  {
    id: "delivered",
    header: t`Last delivered`,
    cell: ({ last_delivered_at: at }) =>
      at ? <RelativeTime at={at} /> : <span className="text-quiet">{t`Never`}</span>,
  },
];

/** Whether the gateway sends to a peer, in a word or two. */
export function peerStateText({ breaker_open_until, failures, state }: QueuePeer): string {
  if (breaker_open_until) return t`Paused`;
  if (failures > 0) return t`Failing`;
  return state === "active" ? t`No failures` : t`Waiting for code`;
}

/** Whether the gateway sends to a peer, and if not, until when. */
function PeerCondition({ peer }: { peer: QueuePeer }) {
  const { breaker_open_until, failures, state } = peer;
  const text = peerStateText(peer);
  const failed = plural(failures, { one: "# failure in a row", other: "# failures in a row" });
  if (breaker_open_until) {
    return (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone="danger" icon={<PauseCircle aria-hidden />}>
          {text}
        </Badge>
        <span className="text-quiet">
          <Trans>
            {failed}, tries again <Countdown at={breaker_open_until} due={t`now`} />
          </Trans>
        </span>
      </span>
    );
  }
  if (failures > 0) {
    return (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge icon={<TriangleAlert aria-hidden />}>{text}</Badge>
        <span className="text-quiet">{failed}</span>
      </span>
    );
  }
  return state === "active" ? (
    <Badge tone="ok" icon={<CircleCheck aria-hidden />}>
      {text}
    </Badge>
  ) : (
    <Badge>{text}</Badge>
  );
}

export interface Deadline {
  transfer_id: string;
  peer: string;
  deadline_at: string;
  state: TransferState;
}

/** Open transfers that fail soon, each a link. */
export function Deadlines({ deadlines }: { deadlines: readonly Deadline[] }) {
  return (
    <ul className="flex flex-col text-sm">
      {deadlines.map(({ transfer_id, peer, deadline_at, state }) => (
        <li key={transfer_id} className="flex flex-wrap gap-x-4 border-line border-b py-2 last:border-b-0">
          <Link
            to="/sent/$id"
            params={{ id: transfer_id }}
            className="wrap-anywhere min-w-0 flex-1"
          >{t`Transfer to ${peer}`}</Link>
          <span className="text-quiet">{STATE_WORD[state]}</span>
          <RelativeTime at={deadline_at} />
        </li>
      ))}
    </ul>
  );
}
