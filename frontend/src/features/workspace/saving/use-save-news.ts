import { useEffect, useEffectEvent, useRef } from "react";
import { announce } from "@/components/announce";
import { saveAnnouncement } from "./save-messages";
import { isSettled, type Phase } from "./save-state";
import { useSaveState } from "./saver-context";

/** Announces what matters of saving; `onDecision` is called when somebody has to decide. */
export function useSaveNews(onDecision: () => void): void {
  const state = useSaveState();
  const calm = useRef<Phase>(state.phase);
  const told = useEffectEvent(() => {
    if (!isSettled(state)) return;
    const news = saveAnnouncement(calm.current, state.phase);
    const decision = state.phase.is === "conflict" || state.phase.is === "deleted";
    if (decision && state.phase !== calm.current) onDecision();
    calm.current = state.phase;
    if (news) announce(news);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about each new phase
  useEffect(() => told(), [state.phase]);
}
