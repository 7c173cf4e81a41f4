import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSearch, stringifySearch } from "@/lib/search-text";
import { PHASES } from "./phases";
import {
  FIGURES,
  FILTER_VALUES,
  isoOf,
  queryOf,
  RANGES,
  spanOf,
  type TimingsSearch,
  timingsSearch,
} from "./timings-search";

const time = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => isoOf(seconds * 1000));
const range = fc.oneof(
  fc.record({ range: fc.constantFrom(...RANGES) }),
  fc.tuple(time, time).map(([one, other]) => ({ since: one < other ? one : other, until: one < other ? other : one })),
  time.map((since) => ({ since })),
  fc.constant({}),
);
const filters = fc.record(
  {
    direction: fc.constantFrom(...FILTER_VALUES.direction),
    peer: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/),
    mode: fc.constantFrom(...FILTER_VALUES.mode),
    size: fc.constantFrom(...FILTER_VALUES.size),
    share: fc.constantFrom(...FILTER_VALUES.share),
    channels: fc.tuple(fc.nat(64), fc.nat(64)).map(([secure, plain]) => `${secure}+${plain}`),
    suite: fc.constantFrom("TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"),
    batch: fc.constantFrom(...FILTER_VALUES.batch),
    outcome: fc.constantFrom(...FILTER_VALUES.outcome),
    figure: fc.constantFrom(...FIGURES.slice(1)),
    hidden: fc
      .subarray(
        PHASES.map(({ id }) => id),
        { minLength: 1 },
      )
      .map((hidden) => hidden.join(".")),
    zoom: fc
      .tuple(fc.integer({ min: -4, max: 9 }), fc.integer({ min: 1, max: 10_000 }))
      .map(([from, length]) => `${from}_${Number((from + length / 1000).toFixed(6))}_0_${length / 1000}`),
    if: fc
      .tuple(fc.integer({ min: 1, max: 1000 }), fc.constantFrom("sieve", "secure-only"))
      .map(([rate, mode]) => `rate-${rate}_share-0_mode-${mode}`),
  },
  { requiredKeys: [] },
);

test("every view survives its address", () => {
  fc.assert(
    fc.property(range, filters, (chosen, filtered) => {
      const view = timingsSearch({ ...chosen, ...filtered });
      // A span that ends when it begins is none.
      fc.pre(!("until" in chosen) || chosen.since !== chosen.until);
      expect(view).toEqual({ ...chosen, ...filtered });
      expect(timingsSearch(parseSearch(stringifySearch(view)))).toEqual(view);
    }),
  );
});

test("no address breaks the page: invalid values are left out", () => {
  const anything = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.string()), time);
  const names = [
    "range",
    "since",
    "until",
    "figure",
    "size",
    "share",
    "batch",
    "peer",
    "channels",
    "hidden",
    "zoom",
    "if",
    "colour",
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), anything), (raw) => {
      const view = timingsSearch(raw);
      expect(timingsSearch(view as Record<string, unknown>)).toEqual(view);
      const { since, until } = spanOf(view, Date.parse("2100-01-01T00:00:00Z"));
      expect(Date.parse(since)).toBeLessThan(Date.parse(until));
    }),
  );
});

test.each([
  ["?share=10&peer=7&batch=1", { share: "10", peer: "7", batch: "1" }],
  ["?channels=1+2", { channels: "1+2" }],
  ["?size=huge&outcome=&channels=many&range=2h", {}],
  ["?since=2026-11-23T06:00Z&until=2026-11-23T05:00Z&range=7d", { range: "7d" }],
  [
    "?hidden=waiting.storing.x&zoom=1_2_0.5_3&if=rate-6_size-270000_mode-sieve",
    { hidden: "waiting.storing", zoom: "1_2_0.5_3", if: "rate-6_size-270000_mode-sieve" },
  ],
  ["?hidden=all&zoom=1_1_0_1&if=rate-many_size-1_plain-9_mode-none", {}],
  ["?zoom=1_2_3&if=", {}],
  ["?since=yesterday&range=1h", { range: "1h" }],
  ["?since=2026-11-23T07:00:00%2B01:00&range=1h", { since: "2026-11-23T06:00:00Z" }],
])("%s", (address, view) => {
  expect(timingsSearch(parseSearch(address))).toEqual(view);
});

test("a range that begins in the future is its first minute, which the gateway can answer for", () => {
  expect(spanOf({ since: "2030-01-01T00:00:00Z" }, Date.parse("2026-11-23T06:05:01Z"))).toEqual({
    since: "2030-01-01T00:00:00Z",
    until: "2030-01-01T00:01:00Z",
  });
});

test("a range ends with the minute that has begun, so that all panels ask for the same one", () => {
  const asked = (at: string) => queryOf({ range: "1h", peer: "bravo" } satisfies TimingsSearch, Date.parse(at));
  const query = { since: "2026-11-23T05:06:00Z", until: "2026-11-23T06:06:00Z", peer: "bravo" };
  expect(asked("2026-11-23T06:05:01Z")).toEqual(query);
  expect(asked("2026-11-23T06:05:59Z")).toEqual(query);
});
