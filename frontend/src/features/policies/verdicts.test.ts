import { expect, test } from "vitest";
import { decided, nextOpen, onAgain, onceMarked, tally, UNDECIDED } from "./verdicts";

test("a verdict can be changed or removed", () => {
  const some = decided(decided(UNDECIDED, [0, 1, 2], "accepted"), [2, 3], "rejected");
  expect(tally(some, [0, 1, 2, 3, 4])).toEqual({ accepted: 2, rejected: 2, open: 1 });
  expect(tally(decided(some, [0, 3], null), [0, 1, 2, 3, 4])).toEqual({ accepted: 1, rejected: 1, open: 3 });
  expect(UNDECIDED.size).toBe(0);
});

test("of a part of them only those count", () => {
  const some = decided(UNDECIDED, [0, 1], "accepted");
  expect(tally(some, [1, 5])).toEqual({ accepted: 1, rejected: 0, open: 1 });
});

test("the next one is the next that is open, and around", () => {
  const some = decided(UNDECIDED, [2, 3], "rejected");
  expect(nextOpen(some, [1, 2, 3, 7], 1)).toBe(7);
  expect(nextOpen(some, [1, 2, 3, 7], 7)).toBe(1);
  expect(nextOpen(decided(some, [1, 7], "accepted"), [1, 2, 3, 7], 2)).toBeNull();
  expect(nextOpen(some, [], 0)).toBeNull();
});

test("rejected hits stay rejected when others are marked, and when they move in the list", () => {
  const some = onceMarked(decided(decided(UNDECIDED, [0, 3], "accepted"), [1, 2], "rejected"));
  expect([...some.keys()]).toEqual([1, 2]);
  const again = onAgain(some, ["a", "b", null, "d"], ["d", "new", "b"], (hit) => hit);
  expect([...again]).toEqual([[2, "rejected"]]);
});
