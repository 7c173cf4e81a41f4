import { act } from "@testing-library/react";
import { useSyncExternalStore } from "react";
import { expect, test, vi } from "vitest";
import { Problem, UNREACHABLE } from "@/api/problem";
import type { LiveState } from "@/session/events";
import { renderSignedIn } from "@/test/render";
import { PageError } from "./PageError";

let state: LiveState = "live";
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
vi.mock(import("@/session/live"), async (original) => ({
  ...(await original()),
  useLiveState: () => useSyncExternalStore(subscribe, () => state),
}));

function becomes(next: LiveState): void {
  act(() => {
    state = next;
    for (const listener of listeners) listener();
  });
}

test.each([
  [new Problem(UNREACHABLE, "cannot reach the gateway"), 1],
  [new Problem(403, "only admins"), 0],
  [new TypeError("our fault"), 0],
])("a page that failed for %s is loaded again %i times once the gateway answers again", (error, times) => {
  const reset = vi.fn();
  state = "live";
  renderSignedIn(<PageError error={error} reset={reset} />);
  becomes("reconnecting");
  expect(reset).not.toHaveBeenCalled();
  becomes("live");
  expect(reset).toHaveBeenCalledTimes(times);
});
