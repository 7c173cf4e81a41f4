import type {
  Headline,
  Percentiles,
  TimingsCapacity,
  TimingsModes,
  TimingsPhases,
  TimingsPoints,
  TimingsQueue,
  TimingsResponses,
  TimingsStandouts,
  TimingsSummary,
} from "@/api/timings";

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
    expected: 30,
    expected_within_two: 27,
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
    progress: { rolled_up: true, waiting_records: 0, import_done: true, imported_percent: 100, rebuild_percent: null },
    own: 0,
    current: aHeadline(),
    previous: aHeadline({ transfers: 30, failed: 0, response: somePercentiles({ p50_ms: 190, p99_ms: null }) }),
    previous_since: "2026-11-23T04:00:00Z",
    previous_until: "2026-11-23T05:00:00Z",
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

/** Small documents that mostly wait, and large ones that mostly travel. */
export function somePhases(change: Partial<TimingsPhases> = {}): TimingsPhases {
  const none = {
    waiting: 0,
    sieve: 0,
    split: 0,
    establishment: 0,
    data_transfer: 0,
    combine: 0,
    integrate: 0,
    storing: 0,
  };
  return {
    by: "size",
    groups: [
      { key: "10KB", label: "10KB", count: 90, mean_ms: { ...none, waiting: 30, data_transfer: 10 } },
      { key: "10MB", label: "10MB", count: 10, mean_ms: { ...none, data_transfer: 380, storing: 20 } },
    ],
    ...change,
  };
}

/** Sieve is faster for little classified, slower for much, and rarely used for large documents. */
export function someModes(change: Partial<TimingsModes> = {}): TimingsModes {
  return {
    cells: [
      {
        size: "1MB",
        share: "10",
        sieve: { count: 40, mean_ms: 66 },
        secure_only: { count: 30, mean_ms: 100 },
        improvement_percent: 34,
        low: 28,
        high: 40,
        enough: true,
      },
      {
        size: "1MB",
        share: "99",
        sieve: { count: 20, mean_ms: 105 },
        secure_only: { count: 25, mean_ms: 100 },
        improvement_percent: -5,
        low: -9,
        high: -1,
        enough: true,
      },
      {
        size: "10MB",
        share: "10",
        sieve: { count: 3, mean_ms: 910 },
        secure_only: { count: 0, mean_ms: null },
        improvement_percent: null,
        low: null,
        high: null,
        enough: false,
      },
    ],
    break_even: [
      { size: "1MB", share: 0.93, reason: "", said: null },
      { size: "10MB", share: null, reason: "not enough transfers", said: null },
    ],
    planner: {
      predicted: 80,
      within_two: 72,
      other_faster: 4,
      within_two_share: 0.9,
      other_faster_share: 0.05,
      expected: 50,
      expected_within_two: 41,
      expected_within_two_share: 0.82,
      mean_expected_ms: 1800,
      mean_turnaround_ms: 2400,
    },
    ...change,
  };
}

/** A sent and a received document. */
export function somePoints(change: Partial<TimingsPoints> = {}): TimingsPoints {
  return {
    of: 2,
    count: 2,
    transfer_id: ["t1", "t2"],
    direction: ["sent", "received"],
    at: ["2026-11-23T05:12:00Z", "2026-11-23T05:13:00Z"],
    size: [1_000_000, 20_000],
    share: ["10", "100"],
    response_ms: [66, 240],
    mode: ["sieve", "secure-only"],
    ...change,
  };
}

/** Three transfers wait for a peer that does not answer. */
export function aQueue(change: Partial<TimingsQueue> = {}): TimingsQueue {
  return {
    depth: 3,
    sending: 1,
    oldest_waiting_s: 185,
    oldest_sending_s: 10_800,
    rate_in_per_s: 0.075,
    rate_out_per_s: 0.05,
    series: {
      width_s: 3600,
      columns: ["2026-11-23T05:00:00Z", "2026-11-23T06:00:00Z"],
      accepted: [20, 7],
      ended: [18, 6],
    },
    causes: [
      { cause: "unreachable", label: "The peer did not answer", count: 12 },
      { cause: "deadline", label: "The deadline passed", count: 1 },
    ],
    peers: [
      {
        name: "bravo",
        state: "active",
        breaker_open_until: null,
        failures: 0,
        waiting: 0,
        oldest_waiting_s: null,
        last_delivered_at: "2026-11-23T05:59:00Z",
      },
      {
        name: "charlie",
        state: "active",
        breaker_open_until: "2999-01-01T00:00:00Z",
        failures: 5,
        waiting: 3,
        oldest_waiting_s: 185,
        last_delivered_at: null,
      },
    ],
    deadlines: [{ transfer_id: "t9", peer: "charlie", deadline_at: "2999-01-01T00:00:00Z", state: "queued" }],
    ...change,
  };
}

/** Saturates at 38 transfers a second, and was measured at up to 12. */
export function aCapacity(change: Partial<TimingsCapacity> = {}): TimingsCapacity {
  return {
    load: {
      rate_per_s: 4,
      busiest_per_s: 12,
      busiest_span_s: 3600,
      busiest_so_far: false,
      busiest_at: "2026-11-23T05:00:00Z",
      mean_response_ms: 30,
      batch: "1",
    },
    models: [
      {
        name: "single-server",
        demand_ms: 26,
        servers: 1,
        saturation_per_s: 38.4,
        error_percent: 9.1,
        points: [
          [0, 26],
          [19, 52],
          [38, 2600],
        ],
      },
      { name: "several-servers", demand_ms: 52, servers: 2, saturation_per_s: 38.4, error_percent: 14.2, points: [] },
    ],
    chosen: "single-server",
    models_reason: null,
    models_said: null,
    measured: [
      [0.5, 26.4, 1800],
      [4, 29, 14400],
      [12, 38, 43200],
    ],
    asked: {
      rate_per_s: 12,
      document_bytes: 270_000,
      classified_share: 0.42,
      documents: 1,
      secure_channels: 1,
      plain_channels: 1,
    },
    sampled: 1000,
    sampled_since: null,
    curves: [
      {
        mode: "sieve",
        count: 900,
        sampled: 900,
        demand_ms: 22,
        demand_ci95_ms: 1.2,
        extrapolated: false,
        saturation_per_s: 45,
        points: [
          [0, 22],
          [44, 1000],
        ],
        reason: null,
        said: null,
      },
      {
        mode: "secure-only",
        count: 3,
        sampled: 3,
        demand_ms: null,
        demand_ci95_ms: null,
        extrapolated: false,
        saturation_per_s: null,
        points: [],
        reason: "only 3 transfers were measured",
        said: null,
      },
    ],
    answer: { mode: "sieve", response_ms: 30, saturation_per_s: 45, enough: true, reason: null, said: [] },
    ...change,
  };
}

/** Charlie's plain channel is slow. */
export function someStandouts(change: Partial<TimingsStandouts> = {}): TimingsStandouts {
  return {
    items: [
      {
        kind: "plain-channel",
        peer: "charlie",
        cause: "plain-channel",
        label: "The plain channel failed or was too slow",
        count: 12,
        of: 14,
        count_before: 0,
        of_before: 20,
      },
      {
        kind: "phase",
        peer: "charlie",
        phase: "data_transfer",
        count: 40,
        mean_ms: 356,
        before_ms: 42,
        others_ms: 44,
        than: "before",
      },
    ],
    more: 0,
    attempts: 90,
    attempts_compared: 60,
    compared: 80,
    sampled_of: null,
    since: "2026-11-22T00:00:00Z",
    until: "2026-11-30T00:00:00Z",
    previous_since: "2026-11-14T00:00:00Z",
    previous_until: "2026-11-22T00:00:00Z",
    ...change,
  };
}
