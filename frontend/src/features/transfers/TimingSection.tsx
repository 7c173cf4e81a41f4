import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { TransferWhole } from "@/api/types";
import { TimingBar } from "@/components/TimingBar";
import { Section } from "@/components/ui/Section";
import { durationText } from "@/lib/durations";
import { PHASE_MEANS, segmentsOf, wasMeasured } from "./timing";

/** The timings of a delivered transfer. */
export function TimingSection({ transfer }: { transfer: TransferWhole }) {
  const { timings } = transfer;
  if (!transfer.delivered_at) return null;
  if (!timings || !wasMeasured(transfer)) {
    return (
      <Section title={t`Timing`}>
        <p className="max-w-prose text-quiet text-sm">
          {timings
            ? t`No timings: the receipt arrived after the attempt ended.`
            : t`No timings: this gateway no longer keeps timings this old.`}
        </p>
      </Section>
    );
  }
  const { total = 0, response = 0, stored = 0 } = timings;
  return (
    <Section title={t`Timing`}>
      <TimingBar caption={t`Where the time went`} segments={segmentsOf(transfer)} totalMs={total} />
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm">
        <dt>
          <Trans>
            Response <span className="text-quiet">total without establishment</span>
          </Trans>
        </dt>
        <dd className="text-right">{durationText(response)}</dd>
        {typeof transfer.plan.estimate?.expected_ms === "number" && (
          <>
            <dt>
              <Trans>
                Estimate <span className="text-quiet">expected response time</span>
              </Trans>
            </dt>
            <dd className="text-right">{durationText(transfer.plan.estimate.predicted_ms)}</dd>
          </>
        )}
        <dt>
          <Trans>
            Stored <span className="text-quiet">response plus the wait for the receipt; overlaps the phases above</span>
          </Trans>
        </dt>
        <dd className="text-right">{durationText(stored)}</dd>
      </dl>
      <details className="text-sm">
        <summary className="tap w-fit cursor-pointer py-1 text-quiet hover:text-ink">{t`What these figures mean`}</summary>
        <dl className="mt-3 grid gap-x-4 gap-y-2 sm:grid-cols-[8rem_1fr]">
          {PHASE_MEANS.map(({ label, means }) => (
            <div key={label} className="sm:contents">
              <dt className="font-medium">{label}</dt>
              <dd className="text-quiet">{means}.</dd>
            </div>
          ))}
        </dl>
      </details>
    </Section>
  );
}
