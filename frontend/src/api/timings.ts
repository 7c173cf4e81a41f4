/** Timings of transfers, for admins: sums and percentiles over a time range. Times are milliseconds. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { TransferState } from "./types";

/** A duration that has percentiles. */
export type TimingFigure = "response" | "total" | "stored" | "waiting";

/** The range and the filters of a request. `since`, `until`: ISO 8601. */
export interface TimingsQuery {
  since: string;
  until: string;
  direction?: string;
  peer?: string;
  mode?: string;
  size?: string;
  share?: string;
  channels?: string;
  suite?: string;
  batch?: string;
  outcome?: string;
}

/** Null where nothing was measured. */
export interface Percentiles {
  count: number;
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  mean_ms: number | null;
}

/** `transfers`: those that ended. `plain_share`: the share of bytes that needed no encryption, 0 to 1. */
export interface Headline extends Record<TimingFigure, Percentiles> {
  transfers: number;
  delivered: number;
  failed: number;
  cancelled: number;
  retries: number;
  clock_moved: number;
  secure_bytes: number;
  plain_bytes: number;
  plain_share: number | null;
}

/** How far the figures are computed. `imported_percent`: of the transfers from before there were timings. */
export interface TimingsProgress {
  rolled_up: boolean;
  waiting_records: number;
  import_done: boolean;
  imported_percent: number;
}

/** `previous`: the time range of the same length just before. */
export interface TimingsSummary {
  since: string;
  until: string;
  progress: TimingsProgress;
  current: Headline;
  previous: Headline;
  choices: { peers: string[]; channels: string[]; suites: string[] };
}

/**
 * How often a figure had which value. `columns`: the start of each. `bucket_edges_ms`: one more than there are buckets.
 * `cells`: column, bucket and count. The other members have one value for each column.
 */
export interface TimingsResponses {
  figure: TimingFigure;
  width_s: number;
  columns: string[];
  bucket_edges_ms: number[];
  cells: [column: number, bucket: number, count: number][];
  count: number[];
  p50_ms: (number | null)[];
  p95_ms: (number | null)[];
  p99_ms: (number | null)[];
}

export interface TimedTransfer {
  transfer_id: string;
  direction: string;
  at: string;
  peer: string;
  mode: string;
  outcome: string;
  size: number;
  classified_size: number;
  value_ms: number;
}

/** The latest first. `more`: there are others. */
export interface TimingsCell {
  transfers: TimedTransfer[];
  more: boolean;
}

export type TimedPhase =
  | "waiting"
  | "sieve"
  | "split"
  | "establishment"
  | "data_transfer"
  | "combine"
  | "integrate"
  | "storing";

export interface TimingsPhases {
  by: "size" | "share" | "peer" | "mode";
  groups: { key: string; label: string; count: number; mean_ms: Record<TimedPhase, number> }[];
}

export interface ModeMeasured {
  count: number;
  mean_ms: number | null;
}

export interface TimingsModes {
  cells: {
    size: string;
    share: string;
    sieve: ModeMeasured;
    secure_only: ModeMeasured;
    improvement_percent: number | null;
    low: number | null;
    high: number | null;
    enough: boolean;
  }[];
  break_even: { size: string; share: number | null; reason: string | null }[];
  planner: {
    predicted: number;
    within_two: number;
    other_faster: number;
    within_two_share: number | null;
    other_faster_share: number | null;
  };
}

/** `of`: how many there are; these are a random sample of `count`. */
export interface TimingsPoints {
  of: number;
  count: number;
  transfer_id: string[];
  direction: string[];
  at: string[];
  size: number[];
  classified_size: number[];
  response_ms: number[];
  mode: string[];
}

export interface TimingsQueue {
  depth: number;
  sending: number;
  oldest_waiting_s: number | null;
  rate_in_per_s: number;
  rate_out_per_s: number;
  series: { width_s: number; columns: string[]; accepted: number[] | null; ended: number[] };
  causes: { cause: string; label: string; count: number }[];
  peers: {
    name: string;
    state: string;
    breaker_open_until: string | null;
    failures: number;
    waiting: number;
    oldest_waiting_s: number | null;
    last_delivered_at: string | null;
  }[];
  deadlines: { transfer_id: string; peer: string; deadline_at: string; state: TransferState }[];
}

/** The answer of each part of the API. */
export interface TimingsAnswers {
  summary: TimingsSummary;
  responses: TimingsResponses;
  cell: TimingsCell;
  phases: TimingsPhases;
  modes: TimingsModes;
  points: TimingsPoints;
  queue: TimingsQueue;
}

export type TimingsPart = keyof TimingsAnswers;

/** What a part asks for besides the range and the filters. */
export type TimingsOptions = Readonly<Record<string, string | number>>;

/** An answer, and the query that it answers: rolling ranges have a new one each time. */
export interface Timed<Answer> {
  query: TimingsQuery;
  options: TimingsOptions;
  answer: Answer;
}

/** The address of a part, for downloads. */
export function timingsHref(
  part: TimingsPart,
  asked: { query: TimingsQuery; options: TimingsOptions },
  format: string,
) {
  const all = Object.entries({ ...asked.query, ...asked.options, format }).map(([name, value]) => [
    name,
    String(value),
  ]);
  return `/api/v1/timings/${part}?${new URLSearchParams(all)}`;
}

export function fetchTimings<Part extends TimingsPart>(
  part: Part,
  query: TimingsQuery,
  signal: AbortSignal,
): Promise<TimingsAnswers[Part]> {
  return dataOf(api.GET(`/api/v1/timings/${part}` as never, { params: { query }, signal } as never));
}

/** Key of all queries for timings: what the event `timings` reloads. */
export const TIMINGS_KEY = "timings";

/** `view`: the range and filters as the address has them; `queryNow` turns them into a query when it is sent. */
export function timingsQuery<Part extends TimingsPart>(
  part: Part,
  view: object,
  queryNow: () => TimingsQuery,
  options: TimingsOptions = {},
) {
  return queryOptions({
    queryKey: [TIMINGS_KEY, part, view, options],
    queryFn: async ({ signal }): Promise<Timed<TimingsAnswers[Part]>> => {
      const query = queryNow();
      return { query, options, answer: await fetchTimings(part, { ...query, ...options }, signal) };
    },
  });
}
