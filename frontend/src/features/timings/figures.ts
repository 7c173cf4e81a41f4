/** The names of figures, filters and their values. */
import { plural, t } from "@lingui/core/macro";
import type { TimingFigure } from "@/api/timings";
import { modeName } from "@/features/transfers/modes";
import { batchClassText, shareClassText, sizeClassText } from "./classes";
import type { FilterName } from "./timings-search";

export const FIGURE_NAME: Record<TimingFigure, string> = {
  response: t`Response`,
  total: t`Total`,
  stored: t`Stored`,
  waiting: t`Waiting`,
};

/** Within a sentence. */
export const FIGURE_IN_TEXT: Record<TimingFigure, string> = {
  response: t`response`,
  total: t`total`,
  stored: t`stored`,
  waiting: t`waiting`,
};

export const FIGURE_MEANS: Record<TimingFigure, string> = {
  response: t`from the first step until the peer has put the document together`,
  total: t`response plus opening the channels`,
  stored: t`response plus the wait for the receipt`,
  waiting: t`in the queue, before the attempt that delivered it`,
};

export const QUANTILES = [
  { id: "p50_ms", label: t`Median`, means: t`Half of the transfers were at most as long` },
  { id: "p95_ms", label: "p95", means: t`95 % of the transfers were at most as long` },
  { id: "p99_ms", label: "p99", means: t`99 % of the transfers were at most as long` },
] as const;

/** Without a filter: "Any peer". */
export const ANY_NAME: Record<FilterName, string> = {
  direction: t`Any direction`,
  peer: t`Any peer`,
  mode: t`Any mode`,
  size: t`Any size`,
  share: t`Any share`,
  channels: t`Any number`,
  suite: t`Any suite`,
  batch: t`Any batch`,
  outcome: t`Any outcome`,
};

export const FILTER_NAME: Record<FilterName, string> = {
  direction: t`Direction`,
  peer: t`Peer`,
  mode: t`Mode`,
  size: t`Size`,
  share: t`Share classified`,
  channels: t`Channels`,
  suite: t`Cipher suite`,
  batch: t`Batch`,
  outcome: t`Outcome`,
};

const OUTCOME_NAME: Readonly<Record<string, string>> = {
  delivered: t`Delivered`,
  retry: t`Retried`,
  failed: t`Failed`,
  cancelled: t`Cancelled`,
};

const CAUSE_NAME: Readonly<Record<string, string>> = {
  unreachable: t`The peer did not answer`,
  "link-broke": t`The secure channel broke`,
  "plain-channel": t`The plain channel failed or was too slow`,
  "peer-busy": t`The peer was busy`,
  "peer-full": t`The peer’s disk was full`,
  "peer-refused": t`The peer refused`,
  "unknown-recipient": t`The peer does not know a recipient`,
  deadline: t`The deadline passed`,
  "stored-data": t`The document could not be read here`,
  "peer-removed": t`The peer was removed`,
  cancelled: t`The author cancelled`,
  interrupted: t`This gateway stopped while sending`,
  other: t`Another reason`,
};

/** Why an attempt did not deliver; the gateway's words for an unknown cause. */
export function causeText({ cause, label }: { cause: string | null; label: string | null }): string {
  return CAUSE_NAME[cause ?? ""] ?? label ?? "";
}

/** The names of a filter's values; an unknown value is shown unchanged. */
export const VALUE_NAME: Record<FilterName, (value: string) => string> = {
  direction: (value) => (value === "sent" ? t({ context: "a transfer", message: "Sent" }) : t`Received`),
  peer: (value) => value,
  mode: (value) => (value === "auto" ? t`Not chosen yet` : modeName(value)),
  size: sizeClassText,
  share: shareClassText,
  channels: channelsName,
  suite: (value) => value,
  batch: batchClassText,
  outcome: (value) => OUTCOME_NAME[value] ?? value,
};

/** `1+2`: 1 secure, 2 plain. */
function channelsName(value: string): string {
  const [secure, plain] = value.split("+").map(Number);
  if (!secure || plain === undefined || Number.isNaN(plain)) return value;
  return t`${plural(secure, { one: "# secure", other: "# secure" })}, ${plural(plain, { one: "# plain", other: "# plain" })}`;
}
