import { useEffect, useRef } from "react";
import type { EntryShown } from "@/api/types";
import { announce } from "@/components/announce";

/** Announces documents that arrive while the page is open. `entries`: the loaded ones, latest first. */
export function useAnnounceArrivals(entries: readonly EntryShown[] | undefined): void {
  const latest = useRef<number | null>(null);
  useEffect(() => {
    if (!entries) return;
    const times = entries.map((entry) => Date.parse(entry.received_at));
    const before = latest.current;
    latest.current = Math.max(before ?? 0, ...times);
    if (before === null) return;
    const arrived = entries.filter((_, index) => (times[index] ?? 0) > before);
    const [one, ...more] = arrived;
    if (!one) return;
    announce(more.length > 0 ? `${arrived.length} new documents` : `New: ${one.name}, from ${one.sender}`);
  }, [entries]);
}
