import { expect, test } from "vitest";
import { Problem, unreachable } from "@/api/problem";
import { saveAnnouncement, saveMessage } from "./save-messages";
import type { Phase } from "./save-state";

const waiting = (problem: Problem): Phase => ({ is: "waiting", dueAt: 5_000, problem });

test("each state in words", () => {
  expect(saveMessage(waiting(unreachable(null)), 1_500)).toBe(
    "Not saved: the gateway cannot be reached. Trying again in 4 s",
  );
  expect(saveMessage(waiting(new Problem(503, "It is full.")), 9_000)).toBe("Not saved. It is full. Trying again now");
  expect(saveMessage({ is: "refused", problem: new Problem(413, "Too large.") }, 0)).toBe("Not saved. Too large.");
});

test("saving that works is no news; what went wrong, and that it is over, is", () => {
  const saved: Phase = { is: "saved" };
  const lost = waiting(unreachable(null));
  expect(saveAnnouncement(saved, saved)).toBe(null);
  expect(saveAnnouncement({ is: "changed", dueAt: 0 }, saved)).toBe(null);
  expect(saveAnnouncement(saved, lost)).toContain("cannot be reached");
  expect(saveAnnouncement(lost, lost)).toBe(null);
  expect(saveAnnouncement(lost, saved)).toBe("Saved again.");
});
