/** The names of figures, filters and their values. */
import type { TimingFigure } from "@/api/timings";
import { modeName } from "@/features/transfers/modes";
import { batchClassText, shareClassText, sizeClassText } from "./classes";
import type { FilterName } from "./timings-search";

export const FIGURE_NAME: Record<TimingFigure, string> = {
  response: "Response",
  total: "Total",
  stored: "Stored",
  waiting: "Waiting",
};

export const FIGURE_MEANS: Record<TimingFigure, string> = {
  response: "from the first step until the peer has put the document together",
  total: "response plus opening the channels",
  stored: "response plus the wait for the receipt",
  waiting: "in the queue, before the attempt that delivered it",
};

export const QUANTILES = [
  { id: "p50_ms", label: "Median", means: "Half of the transfers were at most as long" },
  { id: "p95_ms", label: "p95", means: "95 % of the transfers were at most as long" },
  { id: "p99_ms", label: "p99", means: "99 % of the transfers were at most as long" },
] as const;

/** Without a filter: "Any peer". */
export const ANY_NAME: Record<FilterName, string> = {
  direction: "Any direction",
  peer: "Any peer",
  mode: "Any mode",
  size: "Any size",
  share: "Any share",
  channels: "Any number",
  suite: "Any suite",
  batch: "Any batch",
  outcome: "Any outcome",
};

export const FILTER_NAME: Record<FilterName, string> = {
  direction: "Direction",
  peer: "Peer",
  mode: "Mode",
  size: "Size",
  share: "Share classified",
  channels: "Channels",
  suite: "Cipher suite",
  batch: "Batch",
  outcome: "Outcome",
};

const OUTCOME_NAME: Readonly<Record<string, string>> = {
  delivered: "Delivered",
  retry: "Retried",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** The names of a filter's values; an unknown value is shown unchanged. */
export const VALUE_NAME: Record<FilterName, (value: string) => string> = {
  direction: (value) => (value === "sent" ? "Sent" : "Received"),
  peer: (value) => value,
  mode: (value) => (value === "auto" ? "Not chosen yet" : modeName(value)),
  size: sizeClassText,
  share: shareClassText,
  channels: channelsName,
  suite: (value) => value,
  batch: batchClassText,
  outcome: (value) => OUTCOME_NAME[value] ?? value,
};

/** `1+2`: 1 secure, 2 plain. */
function channelsName(value: string): string {
  const [secure, plain] = value.split("+");
  return plain === undefined ? value : `${secure} secure, ${plain} plain`;
}
