import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { CircleCheck, Hourglass, Info, type LucideIcon, PauseCircle, TriangleAlert, Unplug } from "lucide-react";
import type { TimingsStandouts } from "@/api/timings";
import { buttonClass } from "@/components/ui/Button";
import { Countdown } from "@/features/transfers/Countdown";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { absoluteText } from "@/lib/times";
import { withoutEmpty } from "@/lib/without-empty";
import { Panel } from "./Panel";
import { StandoutsTable } from "./StandoutsTable";
import { opensElsewhere, showPanel } from "./show-panel";
import { failuresSentence, type Standout, standoutText, viewOf, viewText } from "./standouts";
import { timingsSearch } from "./timings-search";
import { useTimingsView } from "./timings-view";
import { useTimings } from "./use-timings";

/** Why transfers are not well: what differs most from the time range before, or from other peers. */
export function StandoutsPanel() {
  return (
    <Panel
      lead={t`What differs most from before or from other peers, the most urgent first.`}
      part="standouts"
      loaded={useTimings("standouts")}
      lines={2}
      table={(standouts) => <Standouts standouts={standouts} asTable />}
    >
      {(standouts) => <Standouts standouts={standouts} />}
    </Panel>
  );
}

function Standouts({ standouts, asTable = false }: { standouts: TimingsStandouts; asTable?: boolean }) {
  const { items, more, compared, sampled_of: sampledOf, attempts, attempts_compared: attemptsCompared } = standouts;
  const { since, until, previous_since: from, previous_until: to } = standouts;
  const at = (time: string) => absoluteText(new Date(time));
  return (
    <div className="flex flex-col gap-3">
      {items.length > 0 && asTable ? (
        <StandoutsTable items={items} />
      ) : items.length > 0 ? (
        <ol className="divide-y divide-line rounded-lg bg-paper shadow-sheet">
          {items.map((found) => (
            <Row key={`${found.kind} ${found.peer} ${found.cause} ${found.phase}`} found={found} />
          ))}
        </ol>
      ) : (
        <Nothing arePhasesCompared={compared > 0} />
      )}
      {more > 0 && (
        <p className="text-quiet text-sm">{t`${plural(more, { one: "# other is", other: "# others are" })} left out.`}</p>
      )}
      <p className="text-quiet text-sm">
        {attemptsCompared > 0
          ? t`How often ${numberText(attemptsCompared)} of ${plural(attempts, { one: "# attempt", other: "# attempts" })} failed was compared with before.`
          : t`How often attempts fail is not compared with before: this needs 30 attempts to a peer in the time range before.`}{" "}
        {sampledOf !== null && compared > 0
          ? t`A random sample of ${plural(sampledOf, { one: "# transfer", other: "# transfers" })} was compared with transfers of the same mode and similar size. A slow phase of a peer with few transfers may be missing: choose that peer to compare all of its transfers.`
          : compared > 0
            ? t`The phases of ${plural(compared, { one: "# transfer", other: "# transfers" })} were compared with those of transfers of the same mode and similar size.`
            : t`Phases are not compared: this needs 10 transfers to a peer, and 10 of the same mode and similar size before or to other peers.`}
      </p>
      <p className="text-quiet text-sm">{t`Counted: ${{ since: at(since) }} to ${{ until: at(until) }}. Before: ${{ from: at(from) }} to ${{ to: at(to) }}.`}</p>
    </div>
  );
}

/** That no item was found. Whether all is well is another question: rare failures do not stand out. */
function Nothing({ arePhasesCompared }: { arePhasesCompared: boolean }) {
  const current = useTimings("summary").data?.answer.current;
  const isWell = current?.failed === 0 && current.retries === 0;
  const Icon = isWell ? CircleCheck : Info;
  return (
    <p className="flex items-start gap-3 rounded-lg bg-paper px-4 py-3 shadow-sheet">
      <Icon aria-hidden className={cx("mt-0.5 size-5 shrink-0", isWell ? "text-ok" : "text-quiet")} />
      {current && !isWell
        ? `${failuresSentence(current)} ${t`No peer or reason stands out.`}`
        : arePhasesCompared
          ? t`Nothing stands out: no peer is paused, few attempts fail for the same reason, and no phase takes much longer than before or than with other peers.`
          : t`Nothing stands out: no peer is paused, and few attempts fail for the same reason.`}
    </p>
  );
}

const ICON: Record<Standout["kind"], LucideIcon> = {
  paused: PauseCircle,
  failures: TriangleAlert,
  "plain-channel": Unplug,
  phase: Hourglass,
};

function Row({ found }: { found: Standout }) {
  const { search } = useTimingsView();
  const { title, details } = standoutText(found);
  const view = viewOf(found, search);
  const viewed = viewText(found, search);
  const Icon = ICON[found.kind];
  return (
    <li className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-2 px-4 py-3 sm:grid-cols-[auto_1fr_auto] sm:items-center">
      <Icon aria-hidden className="size-5 shrink-0 text-danger max-sm:mt-0.5" />
      <div className="min-w-0">
        <p className="wrap-anywhere font-medium">{title}</p>
        {details.map((detail) => (
          <p key={detail} className="text-quiet text-sm">
            {detail}
          </p>
        ))}
        {found.paused_until && (
          <p className="text-quiet text-sm">
            <Trans>
              Next try: <Countdown at={found.paused_until} due={t`now`} />
            </Trans>
          </p>
        )}
      </div>
      {view && (
        <Link
          to="/admin/timings"
          resetScroll={false}
          search={(before) => withoutEmpty({ ...timingsSearch({ ...before }), ...view })}
          // The row itself may be gone then, and what changes is further below.
          onClick={(event) => {
            if (!opensElsewhere(event)) showPanel(view.phases ? "phases" : "responses");
          }}
          aria-label={t`${viewed}: ${title}`}
          className={`${buttonClass("quiet", "sm")} justify-self-start max-sm:col-start-2`}
        >
          {viewed}
        </Link>
      )}
    </li>
  );
}
