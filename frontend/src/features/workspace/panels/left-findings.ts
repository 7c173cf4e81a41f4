/** What the gateway found and its author leaves as it is, until there is more of it or the page is left. */
import { useState } from "react";
import type { Group } from "@/features/transfers/findings";

export interface LeftFindings {
  readonly has: (group: Group) => boolean;
  readonly leave: (group: Group, reason: string) => void;
  /** Nothing is left any more. */
  readonly takeBack: () => void;
  /** Why, in words of who left them: sending asks for that. */
  readonly reasons: readonly string[];
}

export function useLeftFindings(): LeftFindings {
  const [left, setLeft] = useState<ReadonlyMap<string, { places: number; why: string }>>(new Map());
  return {
    has: ({ key, all }) => all.length <= (left.get(key)?.places ?? 0),
    leave: ({ key, first, all }, reason) =>
      setLeft(new Map(left).set(key, { places: all.length, why: reason && `${first.says}: ${reason}` })),
    takeBack: () => setLeft(new Map()),
    reasons: [...left.values()].flatMap(({ why }) => why || []),
  };
}
