/** The timings of a transfer as segments of a bar. docs/architecture.md (Timing) defines each figure. */
import type { TimingSegment } from "@/components/TimingBar";
import { actualMode, channelBytesOf } from "./channel-bytes";

const PHASES = [
  ["sieve", "Sieve", "Separating classified from plain content when the document was saved"],
  ["establishment", "Establishment", "Opening the channels; 0 if they were still open"],
  ["split", "Split", "Making the plan and keys for this attempt"],
  ["data_transfer", "Data transfer", "From the first byte sent until the peer confirmed that it has every byte"],
  ["combine", "Combine", "At the peer: putting the pieces of each channel in place"],
  ["integrate", "Integrate", "At the peer: reading the document in order and computing its digest"],
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
