import { plural, t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Gauge } from "lucide-react";
import { useEffect, useMemo } from "react";
import { Problem } from "@/api/problem";
import { TIMINGS_KEY, type TimingsProgress, type TimingsSummary } from "@/api/timings";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { absoluteText } from "@/lib/times";
import { useNow } from "@/lib/use-now";
import { withoutEmpty } from "@/lib/without-empty";
import { CapacityPanel } from "./CapacityPanel";
import { FilterBar } from "./FilterBar";
import { HeadlinePanel } from "./HeadlinePanel";
import { ModesPanel } from "./ModesPanel";
import { PanelLinks } from "./PanelLinks";
import { PhasesPanel } from "./PhasesPanel";
import { PointsPanel } from "./PointsPanel";
import { QueuePanel } from "./QueuePanel";
import { ResponsesPanel } from "./ResponsesPanel";
import { StandoutsPanel } from "./StandoutsPanel";
import { countFilters, FILTERS, timingsSearch } from "./timings-search";
import { type TimingsView, TimingsViewContext, useTimingsView } from "./timings-view";
import { ROLL_MS, useDefaultRange, useGatewayAway, useRefresh, useTimings } from "./use-timings";

const route = getRouteApi("/in/admin/timings");

/** What transfers cost and where their time goes, for admins. */
export function TimingsPage() {
  const raw = route.useSearch();
  // The router leaves in what `validateSearch` leaves out.
  const search = useMemo(() => timingsSearch({ ...raw }), [raw]);
  const navigate = route.useNavigate();
  const chosen = Boolean(search.range ?? search.since);
  const found = useDefaultRange(!chosen);
  useRefresh();

  const view = useMemo<TimingsView>(
    () => ({
      search,
      change: (change, { replace } = { replace: false }) =>
        void navigate({
          search: (before) => withoutEmpty({ ...timingsSearch({ ...before }), ...change }),
          replace,
          resetScroll: false,
        }),
    }),
    [search, navigate],
  );
  useEffect(() => {
    const range = found.data;
    if (chosen || !range) return;
    void navigate({
      search: (before) => ({ ...timingsSearch({ ...before }), range }),
      replace: true,
      resetScroll: false,
    });
  }, [chosen, found.data, navigate]);

  return (
    <TimingsViewContext value={view}>
      <PageHeader title={t`Timings`}>{t`How long transfers take, where the time goes, and what fails.`}</PageHeader>
      {chosen ? (
        <div className="flex flex-col gap-10">
          <div className="flex flex-col gap-4">
            <FilterBar />
            <Progress />
            <AsOf />
          </div>
          <Panels />
        </div>
      ) : found.data === null ? (
        <div className="flex flex-col gap-4">
          <Progress />
          <NothingYet />
          <QueuePanel />
        </div>
      ) : found.error ? (
        <ErrorPanel title={t`Could not load the timings.`} problem={found.error} onRetry={() => found.refetch()} />
      ) : (
        <Skeleton lines={6} label={t`Loading the timings`} />
      )}
    </TimingsViewContext>
  );
}

/** All panels; or, if the gateway refuses the address, one sentence in their place. */
function Panels() {
  const { search, change } = useTimingsView();
  const { data, error } = useTimings("summary");
  const client = useQueryClient();
  const isAway = useGatewayAway();
  if (isAway && error && !data) {
    return (
      <ErrorPanel
        title={t`The gateway does not answer. The figures load when it answers again.`}
        problem={error}
        onRetry={() => client.refetchQueries({ queryKey: [TIMINGS_KEY], type: "active" })}
      />
    );
  }
  if (isRefused(error)) {
    return search.peer === undefined ? (
      <ErrorPanel title={t`The gateway has no figures for this address.`} problem={error} />
    ) : (
      <EmptyState
        title={t`This gateway has no figures of a peer named “${search.peer}”`}
        action={<Button onClick={() => change({ peer: undefined })}>{t`Show all peers`}</Button>}
      >{t`Check the name in the address, or choose another peer.`}</EmptyState>
    );
  }
  if (data && isEmpty(data.answer)) {
    return (
      <>
        <NothingHere known={data.answer.choices.peers.length > 0} />
        <QueuePanel />
      </>
    );
  }
  return (
    <>
      <StandoutsPanel />
      <HeadlinePanel />
      <PanelLinks />
      <ResponsesPanel />
      <PhasesPanel />
      <ModesPanel />
      <PointsPanel />
      <QueuePanel />
      <CapacityPanel />
    </>
  );
}

/** Whether the gateway cannot answer for this range and these filters, so that another try would not help. */
function isRefused(error: unknown): boolean {
  return error instanceof Problem && error.status === 422;
}

function isEmpty({ current: { transfers, retries } }: TimingsSummary): boolean {
  return transfers + retries === 0;
}

/** `known`: whether there were ever any transfers. */
function NothingHere({ known }: { known: boolean }) {
  const { search, change } = useTimingsView();
  const filters = countFilters(search) > 0;
  if (!known) return <NothingYet />;
  return (
    <EmptyState
      icon={<Gauge aria-hidden />}
      title={filters ? t`No transfers in this time range with these filters` : t`No transfers in this time range`}
      action={
        <>
          {filters && (
            <Button
              onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
            >{t`Clear filters`}</Button>
          )}
          {search.range !== "30d" && (
            <Button
              onClick={() => change({ range: "30d", since: undefined, until: undefined })}
            >{t`Show the last 30 days`}</Button>
          )}
        </>
      }
    >
      {search.range === "30d" && !filters && t`Choose “Custom” to look at an earlier time.`}
    </EmptyState>
  );
}

/** This many records wait only while many are added up: after an upgrade or a burst. */
const MANY = 1000;

/** Says that figures are still being computed. */
function Progress() {
  const progress = useTimings("summary").data?.answer.progress;
  const text = progress && progressText(progress);
  return text ? <p className="rounded-md border border-edge/60 bg-sunken px-4 py-3 text-sm">{text}</p> : null;
}

/** Older figures are marked: the page was asleep, or the gateway does not answer. */
const OLD_MS = 2 * ROLL_MS;
const TICK_MS = 10_000;

/** Says when the figures were loaded, if they should have been loaded again by now or the gateway does not answer. */
function AsOf() {
  const { search } = useTimingsView();
  const { data, dataUpdatedAt } = useTimings("summary");
  const isAway = useGatewayAway();
  const now = useNow(TICK_MS);
  if (!data) return null;
  const isOld = !(search.since && search.until) && now - dataUpdatedAt >= OLD_MS;
  if (!isAway && !isOld) return null;
  const at = absoluteText(new Date(dataUpdatedAt));
  return (
    <p role="status" className="rounded-md border border-edge/60 bg-sunken px-4 py-3 text-sm">
      {isAway
        ? t`The gateway does not answer. These figures are from ${at}, and update when it answers again.`
        : t`Figures as of ${at}. They update when the gateway answers.`}
    </p>
  );
}

function progressText(progress: TimingsProgress): string | null {
  const { imported_percent: imported, rebuild_percent: rebuilt, waiting_records: waiting } = progress;
  if (!progress.import_done) return t`Transfers from before this version are being added: ${Math.floor(imported)} %.`;
  if (rebuilt !== null) return t`All figures are being computed again: ${Math.floor(rebuilt)} %.`;
  if (progress.rolled_up || waiting < MANY) return null;
  return t`The latest ${plural(waiting, { one: "# transfer", other: "# transfers" })} are being added to these figures.`;
}

function NothingYet() {
  return (
    <EmptyState icon={<Gauge aria-hidden />} title={t`No transfers yet`}>
      <p>{t`Once this gateway sends or receives a document, this page shows:`}</p>
      <ul className="mx-auto mt-3 flex w-fit list-disc flex-col gap-1 pl-5 text-left">
        <li>{t`how many transfers were delivered or failed, and how long they took`}</li>
        <li>{t`how response times change over time`}</li>
        <li>{t`where the time goes: waiting, transfer, or work at the peer`}</li>
        <li>{t`whether sieving is faster than sending everything on the secure channel`}</li>
        <li>{t`the queue, the peers, and the load that this gateway can take`}</li>
      </ul>
    </EmptyState>
  );
}
