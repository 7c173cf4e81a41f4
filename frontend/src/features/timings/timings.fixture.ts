import type { Headline, Percentiles, TimingsResponses, TimingsSummary } from "@/api/timings";

export function somePercentiles(change: Partial<Percentiles> = {}): Percentiles {
  return { count: 40, p50_ms: 210, p95_ms: 480, p99_ms: 2100, mean_ms: 260, ...change };
}

export function aHeadline(change: Partial<Headline> = {}): Headline {
  return {
    transfers: 42,
    delivered: 40,
    failed: 1,
    cancelled: 1,
    retries: 3,
    clock_moved: 0,
    secure_bytes: 1_200_000,
    plain_bytes: 8_800_000,
    plain_share: 0.88,
    response: somePercentiles(),
    total: somePercentiles({ p50_ms: 230 }),
    stored: somePercentiles({ p50_ms: 250 }),
    waiting: somePercentiles({ p50_ms: 4 }),
    ...change,
  };
}

export function aSummary(change: Partial<TimingsSummary> = {}): TimingsSummary {
  return {
    since: "2026-11-23T05:00:00Z",
    until: "2026-11-23T06:00:00Z",
    progress: { rolled_up: true, waiting_records: 0, import_done: true, imported_percent: 100 },
    current: aHeadline(),
    previous: aHeadline({ transfers: 30, failed: 0, response: somePercentiles({ p50_ms: 190, p99_ms: null }) }),
    choices: { peers: ["bravo", "charlie"], channels: ["1+1", "2+2"], suites: ["TLS_AES_256_GCM_SHA384"] },
    ...change,
  };
}

/** Three columns of 5 minutes; nothing in the second. */
export function someResponses(change: Partial<TimingsResponses> = {}): TimingsResponses {
  return {
    figure: "response",
    width_s: 300,
    columns: ["2026-11-23T05:00:00Z", "2026-11-23T05:05:00Z", "2026-11-23T05:10:00Z"],
    bucket_edges_ms: [100, 117, 137, 160],
    cells: [
      [0, 0, 1],
      [0, 2, 4],
      [2, 1, 9],
    ],
    count: [5, 0, 9],
    p50_ms: [150, null, 126],
    p95_ms: [158, null, 136],
    p99_ms: [159, null, 137],
    ...change,
  };
}
