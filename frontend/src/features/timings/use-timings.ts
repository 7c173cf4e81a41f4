/** The figures of the view that the address describes. */
import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { asProblem, isPassing } from "@/api/problem";
import {
  fetchTimings,
  TIMINGS_KEY,
  type Timed,
  type TimingsAnswers,
  type TimingsOptions,
  type TimingsPart,
  timingsQuery,
} from "@/api/timings";
import { useLiveEvent, useLiveState } from "@/session/live";
import { figuresOf, queryOf, RANGES, type Range } from "./timings-search";
import { useTimingsView } from "./timings-view";

/** A rolling range moves on even if nothing happens. */
export const ROLL_MS = 60_000;

/**
 * The figures of one part of the API for the page's range and filters. While a new view loads, those of the previous
 * one stay (`isPlaceholderData`).
 */
export function useTimings<Part extends TimingsPart>(
  part: Part,
  options?: TimingsOptions,
): UseQueryResult<Timed<TimingsAnswers[Part]>> {
  const { search } = useTimingsView();
  return useQuery({
    ...timingsQuery(part, figuresOf(search), () => queryOf(search, Date.now()), options),
    placeholderData: keepPreviousData,
    refetchInterval: search.since && search.until ? false : ROLL_MS,
  });
}

/** Whether the gateway does not answer now. The page asks again by itself. */
export function useGatewayAway(): boolean {
  const { error } = useTimings("summary");
  const isLost = useLiveState() === "reconnecting";
  return isLost || (error !== null && isPassing(asProblem(error).status));
}

/** With so many, most panels have something to compare. */
const ENOUGH_TRANSFERS = 200;

/**
 * The shortest range with enough transfers, or else with as many as there are; the longest if there are none, and null if
 * there never were any. Loaded if `wanted`.
 */
export function useDefaultRange(wanted: boolean): UseQueryResult<Range | null> {
  return useQuery({
    queryKey: [TIMINGS_KEY, "default-range"],
    queryFn: async ({ signal }) => {
      let most: { range: Range; count: number } | null = null;
      let isKnown = false;
      for (const range of RANGES) {
        const { current, choices } = await fetchTimings("summary", queryOf({ range }, Date.now()), signal);
        const count = current.transfers + current.retries;
        if (count >= ENOUGH_TRANSFERS) return range;
        if (count > (most?.count ?? 0)) most = { range, count };
        isKnown = choices.peers.length > 0;
      }
      return most?.range ?? (isKnown ? "30d" : null);
    },
    enabled: wanted,
    staleTime: 0,
  });
}

/** The longest wait between an event and the figures that it announces. */
const REFRESH_MS = 3_000;

const MANY_POINTS = 5_000;

/** Whether an answer has so many points that it is loaded again only when a rolling range moves on. */
function isLarge(data: unknown): boolean {
  const answer = (data as Timed<Partial<TimingsAnswers["points"]>> | null | undefined)?.answer;
  return (answer?.transfer_id?.length ?? 0) > MANY_POINTS;
}

/** Loads the page's figures again when they change, while the page is visible. */
export function useRefresh(): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A hidden page loads them when it is shown again: the event has marked them as out of date.
  useLiveEvent("timings", () => {
    if (document.visibilityState === "hidden") return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.refetchQueries({
        queryKey: [TIMINGS_KEY],
        type: "active",
        stale: true,
        predicate: ({ state }) => !isLarge(state.data),
      });
    }, REFRESH_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
