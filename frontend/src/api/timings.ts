/** Timings of transfers, for admins: sums and percentiles over a time range. Times are milliseconds. */
import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "./client";
import type { components, operations } from "./schema";

type Shown = components["schemas"];

export type Percentiles = Shown["Percentiles"];
export type Headline = Shown["Headline"];
export type TimingsProgress = Shown["TimingsProgress"];
export type TimingsSummary = Shown["TimingsSummary"];
export type TimingsStandouts = Shown["StandoutsShown"];
export type TimingsResponses = Shown["ResponsesShown"];
export type TimedTransfer = Shown["CellTransfer"];
export type TimingsPhases = Shown["PhasesShown"];
export type TimedPhase = keyof Shown["PhaseMeans"];
export type TimingsModes = Shown["ModesShown"];
export type TimingsPoints = Shown["PointsShown"];
export type TimingsQueue = Shown["QueueShown"];
export type TimingsCapacity = Shown["CapacityShown"];

/** A duration that has percentiles. */
export type TimingFigure = TimingsResponses["figure"];

/** The answer of each part of the API. */
export interface TimingsAnswers {
  summary: TimingsSummary;
  standouts: TimingsStandouts;
  responses: TimingsResponses;
  cell: Shown["CellShown"];
  phases: TimingsPhases;
  modes: TimingsModes;
  points: TimingsPoints;
  queue: TimingsQueue;
  capacity: TimingsCapacity;
}

export type TimingsPart = keyof TimingsAnswers;

type Asked = NonNullable<operations["timings_summary"]["parameters"]["query"]>;

/** The range and the filters of a request. `since`, `until`: ISO 8601. */
export type TimingsQuery = { [Name in Exclude<keyof Asked, "format">]?: string } & { since: string; until: string };

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
  format: "csv" | "json",
): string {
  const all = Object.entries({ ...asked.query, ...asked.options, format }).map(([name, value]) => [
    name,
    String(value),
  ]);
  return `/api/v1/timings/${part}?${new URLSearchParams(all)}`;
}

/** Loads one part now. */
export function fetchTimings<Part extends TimingsPart>(
  part: Part,
  query: TimingsQuery,
  signal: AbortSignal,
): Promise<TimingsAnswers[Part]> {
  // The parts have the same range and filters, and each has its own options.
  const path = `/api/v1/timings/${part}` as "/api/v1/timings/summary";
  const answer: Promise<unknown> = dataOf(api.GET(path, { params: { query: query as Asked }, signal }));
  return answer as Promise<TimingsAnswers[Part]>;
}

/** The first part of the key of all queries for timings. */
export const TIMINGS_KEY = "timings";

/** `view`: the range and filters as the address has them; `queryNow` makes a query of them when it is sent. */
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
