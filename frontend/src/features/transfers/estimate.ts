/** How long sending should take, in words: made from the fields of a plan and its estimate (docs/planner.md). */
import { plural, t } from "@lingui/core/macro";
import type { PlanEstimate } from "@/api/types";
import { durationText } from "@/lib/durations";

/** A plan that has an estimate, before sending or of an attempt. */
export type EstimatedPlan = Pick<PlanEstimate, "mode" | "secure_channels" | "plain_channels" | "estimate">;

/** "Both channels should be faster. Sending should take about 5 s." Without a reliable estimate, it says so. */
export function summaryOf(plan: EstimatedPlan): string {
  const expected_ms = plan.estimate.expected_ms ?? null;
  const time =
    expected_ms === null
      ? t`There is no reliable estimate yet of how long it takes.`
      : t`Sending should take ${roughly(expected_ms)}.`;
  const way = wayOf(plan);
  return way === "" ? time : `${way} ${time}`;
}

function wayOf({ mode, estimate }: EstimatedPlan): string {
  switch (estimate.reason) {
    case "requested":
      return "";
    case "all-classified":
      return t`Everything is classified, so it uses the secure channel.`;
    case "plain-failed":
      return t`The plain channel failed before, so everything uses the secure channel.`;
    case "as-estimated":
      return t`Everything uses the secure channel, as estimated before sending.`;
    case "measuring":
      return mode === "sieve"
        ? t`This used both channels to measure how long that takes.`
        : t`This used the secure channel alone to measure how long that takes.`;
    case "faster":
      if (!estimate.measured) {
        return mode === "sieve" ? t`This uses both channels.` : t`Everything uses the secure channel.`;
      }
      return mode === "sieve" ? t`Both channels should be faster.` : t`The secure channel alone should be faster.`;
  }
}

/** "under a second", "about 5 s", "about 2 minutes": no more precise than an estimate is. */
export function roughly(ms: number): string {
  if (ms < 1000) return t`under a second`;
  const seconds = ms / 1000;
  if (seconds < 9.5) return t`about ${Math.round(seconds)} s`;
  if (seconds < 57.5) return t`about ${Math.round(seconds / 5) * 5} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return plural(minutes, { one: "about a minute", other: "about # minutes" });
  const hours = Math.round(minutes / 60);
  return plural(hours, { one: "about an hour", other: "about # hours" });
}

/** The figures behind the summary; none without a reliable estimate. */
export function figuresOf(plan: EstimatedPlan): readonly string[] {
  const { mode, secure_channels, plain_channels, estimate } = plan;
  if (typeof estimate.expected_ms !== "number") return [];
  const other = mode === "sieve" ? "secure-only" : "sieve";
  const channels =
    plain_channels > 0
      ? ` ${t`(${plural(secure_channels, { one: "# secure", other: "# secure" })}, ${plain_channels} plain)`}`
      : secure_channels > 1
        ? ` ${t`(${secure_channels} channels)`}`
        : "";
  return [
    t`${nameOf(mode)}${channels}: response of about ${durationText(estimate.predicted_ms)}`,
    t`${nameOf(other)}: response of about ${durationText(estimate.other_ms)}`,
    breakEvenOf(estimate.break_even),
  ];
}

function breakEvenOf(breakEven: EstimatedPlan["estimate"]["break_even"]): string {
  if (breakEven === "always") return t`Both channels are faster however much is classified`;
  if (breakEven === "never") return t`The secure channel alone is faster for any share classified`;
  // Rounded down: 0 % would say "never" and 100 % "always", which `break_even` says itself.
  const percent = Math.min(99, Math.floor(Math.round(breakEven * 1000) / 10));
  return percent === 0
    ? t`Both channels are faster if under 1 % is classified`
    : t`Both channels are faster if at most ${percent} % is classified`;
}

function nameOf(mode: string): string {
  return mode === "sieve" ? t`Both channels` : t`The secure channel alone`;
}
