/** What stands out in the timings, in sentences, and the view that shows it. */

import { plural, t } from "@lingui/core/macro";
import type { Headline, TimingsStandouts } from "@/api/timings";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { sentence } from "@/lib/prose";
import { causeText } from "./figures";
import { PHASES } from "./phases";
import type { TimingsSearch } from "./timings-search";

export type Standout = TimingsStandouts["items"][number];

export interface StandoutText {
  title: string;
  details: readonly string[];
}

/** How many transfers failed and how many attempts were repeated, where neither or one of them may be 0. */
export function failuresSentence({ failed, retries }: Pick<Headline, "failed" | "retries">): string {
  const failures = plural(failed, { one: "# transfer failed", other: "# transfers failed" });
  const repeated = plural(retries, { one: "# attempt was repeated", other: "# attempts were repeated" });
  if (retries === 0) return `${failures}.`;
  return failed === 0 ? `${repeated}.` : t`${failures} and ${repeated}.`;
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
    title: t`Nothing is sent to ${peer ?? ""} now`,
    details: [
      t`The gateway pauses it after ${plural(count, { one: "# failure in a row", other: "# failures in a row" })}.`,
    ],
  };
}

function failuresText({ peer, cause, label, count, of, count_before, of_before }: Standout): StandoutText {
  const counts = ofText(count, of);
  return {
    title: peer === null ? t`${counts} did not deliver` : t`${counts} to ${peer} did not deliver`,
    details: [sentence(causeText({ cause: cause ?? null, label: label ?? null })), beforeText(count_before, of_before)],
  };
}

function plainChannelText({ peer, count, of, count_before, of_before }: Standout): StandoutText {
  return {
    title: t`The plain channel to ${peer ?? ""} fails or is too slow`,
    details: [
      `${t`In ${ofText(count, of)} over both channels.`} ${beforeText(count_before, of_before)}`,
      t`The secure channel carries what the plain one does not. Check what filters or slows the peer’s plain port.`,
    ],
  };
}

function phaseText({ peer, phase, channel, count, mean_ms, before_ms, others_ms, than }: Standout): StandoutText {
  const label = PHASES.find(({ id }) => id === phase)?.label ?? "";
  const mean = mean_ms ?? 0;
  const before = before_ms ?? null;
  const others = others_ms ?? null;
  const times = timesText(mean, (than === "before" ? before : others) ?? 0);
  const title =
    peer === null
      ? t`${label} takes ${times} as long as before`
      : than === "before"
        ? t`${label} takes ${times} as long with ${peer} as before`
        : t`${label} takes ${times} as long with ${peer} as with other peers`;
  return {
    title: channel ? slowChannelTitle(channel, peer ?? "") : title,
    details: [
      ...(channel ? [sentence(title), slowChannelAdvice(channel)] : []),
      [
        t`${durationText(mean)} on average in ${plural(count, { one: "# transfer", other: "# transfers" })}.`,
        before === null ? "" : t`Before: ${durationText(before)}.`,
        others === null ? "" : t`Other peers: ${durationText(others)}.`,
      ]
        .filter(Boolean)
        .join(" "),
    ],
  };
}

type SlowChannel = NonNullable<Standout["channel"]>;

function slowChannelTitle(channel: SlowChannel, peer: string): string {
  return channel === "plain" ? t`The plain channel to ${peer} is slow` : t`The secure channel to ${peer} is slow`;
}

function slowChannelAdvice(channel: SlowChannel): string {
  return channel === "plain"
    ? t`Most of these transfers wait for the plain channel. Check what slows the peer’s plain port.`
    : t`Most of these transfers wait for the secure channel. Check what slows the peer’s secure port.`;
}

/** `8.3 times`, `40 times`. */
function timesText(mean: number, other: number): string {
  const times = mean / Math.max(other, 0.001);
  if (times >= 1000) return t`over 1,000 times`;
  return t`${numberText(Number(times.toPrecision(2)))} times`;
}

/** `12 of 40 attempts`. */
function ofText(count: number, of: number | null | undefined): string {
  return t`${numberText(count)} of ${plural(of ?? count, { one: "# attempt", other: "# attempts" })}`;
}

function beforeText(count: number | null | undefined, of: number | null | undefined): string {
  return of ? t`Before: ${numberText(count ?? 0)} of ${numberText(of)}.` : t`Before: none was sent.`;
}

/** What the link to `viewOf` is called. */
export function viewText({ kind, peer }: Standout, search: TimingsSearch): string {
  if (peer !== null) return t`Show only ${peer}`;
  if (kind === "phase") return t`Show it by peer`;
  return search.direction === "received" ? t`Show only what was received` : t`Show only what was sent`;
}

/** What to change in the view so that it shows only what a standout is about; null if it already does. */
export function viewOf({ kind, peer, channel }: Standout, search: TimingsSearch): Partial<TimingsSearch> | null {
  const view: Partial<TimingsSearch> = {
    direction: search.direction ?? "sent",
    ...(peer !== null && { peer }),
    ...((kind === "plain-channel" || channel === "plain") && { mode: "sieve" }),
    // Without a peer, all have it in common.
    ...(kind === "phase" && peer === null && { phases: "peer" }),
  };
  const names = Object.keys(view) as (keyof TimingsSearch)[];
  return names.every((name) => search[name] === view[name]) ? null : view;
}
