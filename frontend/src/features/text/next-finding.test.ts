import { expect, test, vi } from "vitest";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import type { Findings, LeakCheck } from "@/features/workspace/panels/leak-check";
import type { TextSpan } from "@/marked-text/markup";
import { goToNextFinding } from "./next-finding";

vi.mock("@/components/announce", () => ({ announce: vi.fn() }));

const NONE = { rule: "confirm", suggestions: [], findings: [] };

test.each([
  [null, null, "The leak check has not run yet"],
  [NONE, null, "There are no open findings"],
  [NONE, new Problem(503, "The gateway is busy."), "The leak check could not run"],
  [null, new Problem(503, "The gateway is busy."), "The leak check could not run"],
])("where there is no finding to go to, it says why (%o, %s)", (checked, error, said) => {
  const findings = { checked, open: [], error } as unknown as Findings<TextSpan>;
  const leaks = { findings: () => findings, placesOf: () => [] as TextSpan[] } as unknown as LeakCheck<TextSpan>;
  const onJump = vi.fn();
  goToNextFinding(leaks, 0, onJump);
  expect(onJump).not.toHaveBeenCalled();
  expect(announce).toHaveBeenLastCalledWith(said);
});
