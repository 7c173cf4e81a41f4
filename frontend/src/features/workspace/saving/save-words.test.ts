import { expect, test } from "vitest";
import { Problem, unreachable } from "@/api/problem";
import type { Phase } from "./save-state";
import { saveNews, saveWords } from "./save-words";

const waiting = (problem: Problem): Phase => ({ is: "waiting", dueAt: 5_000, problem });

test("each state in words", () => {
  expect(saveWords(waiting(unreachable(null)), 1_500)).toBe(
    "Not saved: the gateway cannot be reached. Trying again in 4 s",
  );
  expect(saveWords(waiting(new Problem(503, "It is full.")), 9_000)).toBe("Not saved. It is full. Trying again now");
  expect(saveWords({ is: "refused", problem: new Problem(413, "Too large.") }, 0)).toBe("Not saved. Too large.");
});

test("saving that works is no news; what went wrong, and that it is over, is", () => {
  const saved: Phase = { is: "saved" };
  const lost = waiting(unreachable(null));
  expect(saveNews(saved, saved)).toBe(null);
  expect(saveNews({ is: "changed", dueAt: 0 }, saved)).toBe(null);
  expect(saveNews(saved, lost)).toContain("cannot be reached");
  expect(saveNews(lost, lost)).toBe(null);
  expect(saveNews(lost, saved)).toBe("Saved again.");
});
