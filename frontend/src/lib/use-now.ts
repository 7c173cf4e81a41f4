import { useCallback, useSyncExternalStore } from "react";

// One timer for each interval, so that a long list renders once for each tick.
const timers = new Map<number, { readers: Set<() => void>; timer: ReturnType<typeof setInterval> }>();

/** The time now, in ms since 1970, rounded down to a multiple of `everyMs`, and renewed as often. */
export function useNow(everyMs: number): number {
  const subscribe = useCallback((changed: () => void) => read(everyMs, changed), [everyMs]);
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / everyMs) * everyMs);
}

function read(everyMs: number, changed: () => void): () => void {
  const shared = timers.get(everyMs) ?? start(everyMs);
  shared.readers.add(changed);
  return () => {
    shared.readers.delete(changed);
    if (shared.readers.size > 0) return;
    clearInterval(shared.timer);
    timers.delete(everyMs);
  };
}

function start(everyMs: number) {
  const readers = new Set<() => void>();
  const timer = setInterval(() => {
    for (const reader of readers) reader();
  }, everyMs);
  const shared = { readers, timer };
  timers.set(everyMs, shared);
  return shared;
}
