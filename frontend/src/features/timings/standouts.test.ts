import { expect, test } from "vitest";
import { failuresSentence, type Standout, standoutText, viewOf } from "./standouts";

const paused: Standout = { kind: "paused", peer: "bravo", count: 5, paused_until: "2999-01-01T00:00:00Z" };
const failures: Standout = {
  kind: "failures",
  peer: "bravo",
  cause: "unreachable",
  label: "The peer did not answer",
  count: 1200,
  of: 4000,
  count_before: 3,
  of_before: 3800,
};
const waiting: Standout = {
  kind: "phase",
  peer: null,
  phase: "waiting",
  count: 50,
  mean_ms: 9000,
  before_ms: 30,
  than: "before",
};

test.each<[Standout, string, string]>([
  [paused, "Nothing is sent to bravo now", "The gateway pauses it after 5 failures in a row."],
  [failures, "1,200 of 4,000 attempts to bravo did not deliver", "The peer did not answer. Before: 3 of 3,800."],
  [
    { ...failures, peer: null, count: 4, of: 9, count_before: 0, of_before: 0 },
    "4 of 9 attempts did not deliver",
    "The peer did not answer. Before: none was sent.",
  ],
  [waiting, "Waiting takes 300 times as long as before", "9 s on average in 50 transfers. Before: 30 ms."],
  [
    { ...waiting, peer: "bravo", before_ms: 5000, others_ms: 0, than: "others" },
    "Waiting takes over 1,000 times as long with bravo as with other peers",
    "9 s on average in 50 transfers. Before: 5 s. Other peers: 0 ms.",
  ],
  [
    { ...waiting, peer: "bravo", phase: "data_transfer", channel: "plain", before_ms: 2000 },
    "The plain channel to bravo is slow",
    "Data transfer takes 4.5 times as long with bravo as before. Most of these transfers wait for the plain channel. Check what slows the peer’s plain port. 9 s on average in 50 transfers. Before: 2 s.",
  ],
])("%o", (found, title, details) => {
  const text = standoutText(found);
  expect([text.title, text.details.join(" ")]).toEqual([title, details]);
});

test("failures and retries are said, each only if there are any", () => {
  expect(failuresSentence({ failed: 3, retries: 5 })).toBe("3 transfers failed and 5 attempts were repeated.");
  expect(failuresSentence({ failed: 1, retries: 0 })).toBe("1 transfer failed.");
  expect(failuresSentence({ failed: 0, retries: 1 })).toBe("1 attempt was repeated.");
});

test("the view keeps what is chosen, and there is none if it is already shown", () => {
  expect(viewOf(failures, { range: "7d", direction: "received" })).toEqual({ direction: "received", peer: "bravo" });
  expect(viewOf(failures, { direction: "sent", peer: "bravo", size: "1MB" })).toBeNull();
  expect(viewOf({ ...waiting, peer: "bravo", channel: "plain" }, {})).toEqual({
    direction: "sent",
    peer: "bravo",
    mode: "sieve",
  });
  expect(viewOf(waiting, {})).toEqual({ direction: "sent", phases: "peer" });
});
