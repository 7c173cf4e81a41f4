/** The timings of a transfer as segments of a bar. docs/architecture.md (Timing) defines each figure. */
import { t } from "@lingui/core/macro";
import type { TimingSegment } from "@/components/TimingBar";
import { actualMode, channelBytesOf } from "./channel-bytes";

const PHASES = [
  ["sieve", t`Sieve`, t`Separating classified from plain content when the document was saved`],
  ["establishment", t`Establishment`, t`Opening the channels; 0 if they were still open`],
  ["split", t`Split`, t`Making the plan and keys for this attempt`],
  ["data_transfer", t`Data transfer`, t`From the first byte sent until the peer confirmed that it has every byte`],
  ["combine", t`Combine`, t`At the peer: putting the pieces of each channel in place`],
  ["integrate", t`Integrate`, t`At the peer: reading the document in order and computing its digest`],
] as const;

/** An explanation of each phase. */
export const PHASE_MEANS: readonly { label: string; means: string }[] = PHASES.map(([, label, means]) => ({
  label,
  means,
}));

/** Phases that are not part of the response in the mode "secure-only", which needs no separation. */
const SIEVING: ReadonlySet<string> = new Set(["sieve", "integrate"]);

interface Timed {
  timings: Record<string, number> | null;
  mode: string;
  plan: { mode: string };
  classified_bytes: number;
  plain_bytes: number;
}

/** The phases that make up `total`, in order and without overlap; milliseconds. */
export function segmentsOf(transfer: Timed): TimingSegment[] {
  const { timings } = transfer;
  if (!timings) return [];
  return PHASES.filter(([id]) => actualMode(transfer) !== "secure-only" || !SIEVING.has(id)).map(([id, label]) => ({
    id,
    label,
    ms: timings[id] ?? 0,
    kind: id === "data_transfer" ? channelsOf(transfer) : "work",
  }));
}

/**
 * Whether the data transfer was measured. It was not if the receipt arrived after its attempt had ended.
 */
export function wasMeasured({ timings }: Pick<Timed, "timings">): boolean {
  return (timings?.data_transfer ?? 0) > 0;
}

function channelsOf(transfer: Timed): "secure" | "plain" | "both" {
  const { secure, plain } = channelBytesOf(transfer, actualMode(transfer));
  if (plain === 0) return "secure";
  return secure === 0 ? "plain" : "both";
}
