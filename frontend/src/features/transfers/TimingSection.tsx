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
      <Section title="Timing">
        <p className="max-w-prose text-quiet text-sm">
          {timings
            ? "No timings: the receipt arrived after the attempt ended."
            : "No timings: this gateway does not keep them for so long."}
        </p>
      </Section>
    );
  }
  const { total = 0, response = 0, stored = 0 } = timings;
  return (
    <Section title="Timing">
      <TimingBar caption="Where the time went" segments={segmentsOf(transfer)} totalMs={total} />
      <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm">
        <dt>
          Response <span className="text-quiet">total without establishment</span>
        </dt>
        <dd className="text-right">{durationText(response)}</dd>
        {typeof transfer.plan.estimate?.expected_ms === "number" && (
          <>
            <dt>
              Estimate <span className="text-quiet">expected response time</span>
            </dt>
            <dd className="text-right">{durationText(transfer.plan.estimate.predicted_ms)}</dd>
          </>
        )}
        <dt>
          Stored <span className="text-quiet">response plus the wait for the receipt; overlaps the phases above</span>
        </dt>
        <dd className="text-right">{durationText(stored)}</dd>
      </dl>
      <details className="text-sm">
        <summary className="tap w-fit cursor-pointer py-1 text-quiet hover:text-ink">What these figures mean</summary>
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
