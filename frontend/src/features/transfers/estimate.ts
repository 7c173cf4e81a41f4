/** How long sending should take, in words: made from the fields of a plan and its estimate (docs/planner.md). */
import type { PlanEstimate } from "@/api/types";
import { durationText } from "@/lib/durations";

/** A plan that has an estimate, before sending or of an attempt. */
export type EstimatedPlan = Pick<PlanEstimate, "mode" | "secure_channels" | "plain_channels" | "estimate">;

/** "Both channels should be faster: about 7 ms instead of 12 ms." */
export function summaryOf({ mode, estimate }: EstimatedPlan): string {
  const { reason, predicted_ms, other_ms } = estimate;
  const time = durationText(predicted_ms);
  const otherTime = durationText(other_ms);
  switch (reason) {
    case "requested":
      return `Sending should take about ${time}.`;
    case "plain-failed":
      return `The plain channel failed before, so everything uses the secure channel. This should take about ${time}.`;
    case "measuring":
      return `${nameOf(mode)}, to measure how long it takes: about ${time}.`;
    case "faster":
      if (time === otherTime) return `Both ways should take about ${time}.`;
      // The times leave out opening channels, and a mode that is as good is kept.
      if (predicted_ms > other_ms) return `${nameOf(mode)} should take about ${time}.`;
      return `${nameOf(mode)} should be faster: about ${time} instead of ${otherTime}.`;
  }
}

/** The figures behind the summary. */
export function figuresOf(plan: EstimatedPlan): readonly string[] {
  const { mode, secure_channels, plain_channels, estimate } = plan;
  const other = mode === "sieve" ? "secure-only" : "sieve";
  const channels =
    plain_channels > 0
      ? ` (${secure_channels} secure, ${plain_channels} plain)`
      : secure_channels > 1
        ? ` (${secure_channels} channels)`
        : "";
  return [
    `${nameOf(mode)}${channels}: about ${durationText(estimate.predicted_ms)}`,
    `${nameOf(other)}: about ${durationText(estimate.other_ms)}`,
    breakEvenOf(estimate.break_even),
    ...(estimate.reason === "measuring" ? ["The gateway tries this once to measure how long it takes"] : []),
    ...(estimate.measured ? [] : ["Nothing has been sent to this gateway yet, so this is a rough estimate"]),
  ];
}

function breakEvenOf(breakEven: EstimatedPlan["estimate"]["break_even"]): string {
  if (breakEven === "always") return "Both channels are faster however much is classified";
  if (breakEven === "never") return "The secure channel alone is faster however little is classified";
  // Rounded down: 0 % would say "never" and 100 % "always", which `break_even` says itself.
  const percent = Math.min(99, Math.floor(Math.round(breakEven * 1000) / 10));
  return `Both channels are faster if ${percent === 0 ? "under 1 %" : `at most ${percent} %`} is classified`;
}

function nameOf(mode: string): string {
  return mode === "sieve" ? "Both channels" : "The secure channel alone";
}
