import { expect, it } from "vitest";
import { type QueuePeer, rateText, rateUnit, trendOf, worstFirst } from "./queue";

function peer(name: string, change: Partial<QueuePeer> = {}): QueuePeer {
  return {
    name,
    state: "active",
    breaker_open_until: null,
    failures: 0,
    waiting: 0,
    oldest_waiting_s: null,
    last_delivered_at: null,
    ...change,
  };
}

it("lists paused peers first, then failing ones, then those that most waits for", () => {
  const peers = [
    peer("bravo"),
    peer("echo", { waiting: 3 }),
    peer("delta", { failures: 2 }),
    peer("alpha"),
    peer("charlie", { breaker_open_until: "2026-11-23T10:00:00Z", failures: 1 }),
  ];
  expect(worstFirst(peers).map(({ name }) => name)).toEqual(["charlie", "delta", "echo", "alpha", "bravo"]);
});

it.each([
  [0, "none", "per hour"],
  [12.34, "12.3 a second", "per second"],
  [1234, "1,230 a second", "per second"],
  [0.9996, "1 a second", "per second"],
  [0.075, "4.5 a minute", "per minute"],
  [0.0008, "2.9 an hour", "per hour"],
])("%d a second is %s, in a field %s", (perSecond, text, unit) => {
  expect(rateText(perSecond)).toBe(text);
  expect(rateUnit(perSecond).name).toBe(unit);
});

it.each([
  [0, 5, 1, "empty"],
  [7, 2, 1, "growing"],
  [7, 1, 2, "shrinking"],
  [7, 1, 1.05, "steady"],
  [7, 0, 0, "steady"],
] as const)("with %d waiting, %d in and %d out the queue is %s", (depth, inRate, outRate, trend) => {
  expect(trendOf(depth, inRate, outRate)).toBe(trend);
});
