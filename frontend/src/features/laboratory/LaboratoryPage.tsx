import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LoaderCircle, Play, Square, Table } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type Experiment, isRunning, laboratoryQuery, runExperiment, stopExperiment } from "@/api/laboratory";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Loaded } from "@/components/ui/Loaded";
import { PageHeader } from "@/components/ui/PageHeader";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { durationText } from "@/lib/durations";
import { BatchingChart, BatchingTable } from "./BatchingResult";
import { BatchRsaCharts, BatchRsaTables } from "./BatchRsaResult";
import { TlsSplitCharts, TlsSplitTable } from "./TlsSplitResult";

const TITLE: Record<Experiment["name"], string> = {
  batching: t`Batches under random arrivals`,
  "batch-rsa": t`Batch RSA`,
  "tls-split": t`TLS in several processes`,
};
const LEAD: Record<Experiment["name"], string> = {
  batching: t`Table 5.3 of the thesis on the security sieve, beside our simulation of the same method.`,
  "batch-rsa": t`A paper decrypts the secrets of several TLS clients at once. Measured on this machine, beside what it prints. TLS 1.3 has no use for it.`,
  "tls-split": t`A thesis does handshakes in one process and encrypts in another. Measured on this machine beside one process, without going before other work.`,
};

/** The quick experiments of the laboratory. */
export function LaboratoryPage() {
  const laboratory = useQuery(laboratoryQuery);
  return (
    <>
      <PageHeader title={t`Laboratory`}>
        {t`Quick experiments that reproduce papers, run on this machine. They never protect or touch a document. Each takes a processor for a minute or two; results are kept until the gateway stops.`}
      </PageHeader>
      <Loaded query={laboratory} what={t`the experiments`} lines={8}>
        {({ experiments }) => (
          <div className="flex flex-col gap-10">
            {experiments.map((experiment) => (
              <ExperimentPanel
                key={experiment.name}
                experiment={experiment}
                otherRuns={experiments.some((other) => isRunning(other) && other !== experiment)}
              />
            ))}
            <p className="text-quiet text-sm">
              <Trans>
                The load that this gateway can carry, by its own transfers, is under{" "}
                <Link to="/admin/timings">Timings</Link>.
              </Trans>
            </p>
          </div>
        )}
      </Loaded>
    </>
  );
}

function ExperimentPanel({ experiment, otherRuns }: { experiment: Experiment; otherRuns: boolean }) {
  const { name, state, batching, batch_rsa, tls_split } = experiment;
  const client = useQueryClient();
  const changing = useMutation({
    mutationFn: (run: boolean) => (run ? runExperiment(name) : stopExperiment()),
    onSuccess: (shown) => client.setQueryData(laboratoryQuery.queryKey, shown),
  });
  const [asTable, setAsTable] = useState(false);
  const title = TITLE[name];
  useAnnouncedEnd(title, state);
  const running = isRunning(experiment);
  const hasResult = batching !== null || batch_rsa !== null || tls_split !== null;
  return (
    <Section
      title={title}
      lead={LEAD[name]}
      actions={
        <>
          {hasResult && (
            <Button
              size="sm"
              icon={<Table aria-hidden />}
              aria-pressed={asTable}
              aria-label={t`Table: ${title}`}
              onClick={() => setAsTable(!asTable)}
              className="aria-pressed:border-ink aria-pressed:bg-ink/8"
            >{t`Table`}</Button>
          )}
          <Button
            size="sm"
            icon={running ? <Square aria-hidden /> : <Play aria-hidden />}
            aria-label={running ? t`Stop: ${title}` : t`Run: ${title}`}
            busy={changing.isPending}
            disabled={otherRuns}
            onClick={() => changing.mutate(!running)}
          >
            {running ? t`Stop` : t`Run`}
          </Button>
        </>
      }
    >
      {changing.error && <ErrorPanel title={t`That did not work.`} problem={changing.error} />}
      <State experiment={experiment} />
      {batching && (asTable ? <BatchingTable found={batching} /> : <BatchingChart found={batching} />)}
      {batch_rsa && (asTable ? <BatchRsaTables found={batch_rsa} /> : <BatchRsaCharts found={batch_rsa} />)}
      {tls_split && (asTable ? <TlsSplitTable found={tls_split} /> : <TlsSplitCharts found={tls_split} />)}
    </Section>
  );
}

function State({ experiment: { state, started_at, took_s, reason } }: { experiment: Experiment }) {
  if (state === "not-run" || started_at === null) {
    return <p className="text-quiet text-sm">{t`Not run since the gateway started.`}</p>;
  }
  const took = durationText((took_s ?? 0) * 1000);
  return (
    <p className="text-quiet text-sm">
      {state === "running" && (
        <span className="inline-flex items-center gap-2">
          <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin motion-reduce:animate-none" />
          <span>
            <Trans>
              Running, started <RelativeTime at={started_at} />.
            </Trans>
          </span>
        </span>
      )}
      {state === "done" && (
        <Trans>
          Run <RelativeTime at={started_at} />, in {took}.
        </Trans>
      )}
      {state === "stopped" && t`Stopped after ${took}.`}
      {state === "failed" && (
        <>
          {t`It failed:`} <span lang="en">{reason}</span>
        </>
      )}
    </p>
  );
}

/** Tells screen readers when an experiment that was running has ended. */
function useAnnouncedEnd(title: string, state: Experiment["state"]) {
  const before = useRef(state);
  useEffect(() => {
    if (before.current === "running" && state !== "running") {
      announce(state === "done" ? t`${title}: finished` : t`${title}: ended without a result`);
    }
    before.current = state;
  }, [title, state]);
}
