/** What stands out in the timings, in sentences, and the view that shows it. */
import type { TimingsStandouts } from "@/api/timings";
import { durationText } from "@/lib/durations";
import { countText, sentence } from "@/lib/prose";
import { PHASES } from "./phases";
import type { TimingsSearch } from "./timings-search";

export type Standout = TimingsStandouts["items"][number];

export interface StandoutText {
  title: string;
  details: readonly string[];
}

export function standoutText(found: Standout): StandoutText {
  switch (found.kind) {
    case "paused":
      return pausedText(found);
    case "failures":
      return failuresText(found);
    case "plain-channel":
      return plainChannelText(found);
    case "phase":
      return phaseText(found);
  }
}

function pausedText({ peer, count }: Standout): StandoutText {
  return {
    title: `Nothing is sent to ${peer} now`,
    details: [`The gateway pauses it after ${countText(count, "failure in a row", "failures in a row")}.`],
  };
}

function failuresText({ peer, label, count, of, count_before, of_before }: Standout): StandoutText {
  const attempts = ofText(count, of, "attempt", "attempts");
  return {
    title: peer === null ? `${attempts} did not deliver` : `${attempts} to ${peer} did not deliver`,
    details: [sentence(label ?? ""), beforeText(count_before, of_before)],
  };
}

function plainChannelText({ peer, count, of, count_before, of_before }: Standout): StandoutText {
  return {
    title: `The plain channel to ${peer} fails or is too slow`,
    details: [
      `In ${ofText(count, of, "attempt", "attempts")} over both channels. ${beforeText(count_before, of_before)}`,
      "The secure channel carries what the plain one does not. Check what filters or slows the peer’s plain port.",
    ],
  };
}

function phaseText({ peer, phase, count, mean_ms, before_ms, others_ms }: Standout): StandoutText {
  const label = PHASES.find(({ id }) => id === phase)?.label ?? "";
  const mean = mean_ms ?? 0;
  const before = before_ms ?? null;
  const others = others_ms ?? null;
  const vsBefore = before !== null && isLonger(mean, before);
  const times = timesText(mean, (vsBefore ? before : others) ?? 0);
  const longer = `${label} takes ${times} as long`;
  return {
    title:
      peer === null
        ? `${longer} as before`
        : vsBefore
          ? `${longer} with ${peer} as before`
          : `${longer} with ${peer} as with other peers`,
    details: [
      `${durationText(mean)} on average in ${countText(count, "transfer", "transfers")}.` +
        (before === null ? "" : ` Before: ${durationText(before)}.`) +
        (others === null ? "" : ` Other peers: ${durationText(others)}.`),
    ],
  };
}

/** As the gateway decides it. */
function isLonger(mean: number, other: number): boolean {
  return mean >= 1.5 * other;
}

/** `8.3 times`, `40 times`. */
function timesText(mean: number, other: number): string {
  const times = mean / Math.max(other, 0.001);
  if (times >= 1000) return "over 1,000 times";
  return `${Number(times.toPrecision(2)).toLocaleString("en")} times`;
}

/** `12 of 40 attempts`. */
function ofText(count: number, of: number | null | undefined, one: string, many: string): string {
  return `${count.toLocaleString("en")} of ${countText(of ?? count, one, many)}`;
}

function beforeText(count: number | null | undefined, of: number | null | undefined): string {
  return of ? `Before: ${(count ?? 0).toLocaleString("en")} of ${of.toLocaleString("en")}.` : "Before: none was sent.";
}

/** What to change in the view so that it shows only what a standout is about; null if it already does. */
export function viewOf({ kind, peer }: Standout, search: TimingsSearch): Partial<TimingsSearch> | null {
  const view: Partial<TimingsSearch> = {
    direction: search.direction ?? "sent",
    ...(peer !== null && { peer }),
    ...(kind === "plain-channel" && { mode: "sieve" }),
    // Without a peer, all have it in common.
    ...(kind === "phase" && peer === null && { phases: "peer" }),
  };
  const names = Object.keys(view) as (keyof TimingsSearch)[];
  return names.every((name) => search[name] === view[name]) ? null : view;
}
