/** The names of figures, filters and their values. */
import type { TimingFigure } from "@/api/timings";
import { MODE_NAME } from "@/features/transfers/modes";
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
  direction: "Sent and received",
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

const VALUE_NAME: Partial<Record<FilterName, Readonly<Record<string, string>>>> = {
  direction: { sent: "Sent", received: "Received" },
  mode: { ...MODE_NAME, auto: "Not chosen yet" },
  size: {
    "10KB": "Up to 10 KB",
    "100KB": "10 to 100 KB",
    "1MB": "100 KB to 1 MB",
    "10MB": "1 to 10 MB",
    "100MB": "10 to 100 MB",
    "1GB": "100 MB to 1 GB",
    more: "Over 1 GB",
  },
  share: {
    "0": "Nothing",
    "10": "Up to 10 %",
    "25": "10 to 25 %",
    "50": "25 to 50 %",
    "75": "50 to 75 %",
    "90": "75 to 90 %",
    "99": "Over 90 %",
    "100": "Everything",
  },
  batch: { "1": "1 document", "2-4": "2 to 4", "5-9": "5 to 9", "10+": "10 or more" },
  outcome: { delivered: "Delivered", retry: "Retried", failed: "Failed", cancelled: "Cancelled" },
};

/** The name of a filter's value; an unknown value is shown unchanged. */
export function valueName(filter: FilterName, value: string): string {
  if (filter === "channels") return channelsName(value);
  return VALUE_NAME[filter]?.[value] ?? value;
}

/** `1+2`: 1 secure, 2 plain. */
function channelsName(value: string): string {
  const [secure, plain] = value.split("+");
  return plain === undefined ? value : `${secure} secure, ${plain} plain`;
}
