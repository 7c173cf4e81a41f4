/** What saves an open document, for whatever of its page shows that, hurries it or waits for it. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { sessionQuery } from "@/api/session";
import { useLiveEvent, useLiveState } from "@/session/live";
import { useSession } from "@/session/session";
import { isUnsaved, type SaveState } from "./save-state";
import type { AnySaver } from "./saver";

const SaverContext = createContext<AnySaver | null>(null);

export const SaverProvider = SaverContext.Provider;

export function useSaver(): AnySaver {
  const saver = useContext(SaverContext);
  if (!saver) throw new Error("useSaver is used outside SaverProvider");
  return saver;
}

export function useSaveState(): SaveState {
  const saver = useSaver();
  return useSyncExternalStore(saver.subscribe, saver.state);
}

/** Whether closing the page would lose something. */
export function wouldLose(saver: AnySaver): boolean {
  return isUnsaved(saver.state());
}

/** Runs the saver of document `id` while the page is shown. Code that changes the document calls `saver.edited`. */
export function useSaverAtWork(id: string, saver: AnySaver): void {
  const client = useQueryClient();
  const { status, beforeLeaving } = useSession();

  useEffect(() => {
    const hidden = () => document.visibilityState === "hidden" && saveNow(saver);
    const again = () => saver.tryAgain();
    saver.start();
    document.addEventListener("visibilitychange", hidden);
    window.addEventListener("online", again);
    return () => {
      saver.stop();
      document.removeEventListener("visibilitychange", hidden);
      window.removeEventListener("online", again);
    };
  }, [saver]);

  useEffect(
    () =>
      beforeLeaving(async () => {
        const { is } = saver.state().phase;
        // A save that has begun may not have been sent yet.
        if (is === "changed" || is === "saving") await saver.flush();
      }),
    [beforeLeaving, saver],
  );

  useLiveEvent("draft", (event) => {
    if (event.id !== id) return;
    if (event.revision === null) void saver.heardDeleted();
    else saver.heard(event.revision);
  });
  const live = useLiveState();
  useEffect(() => {
    if (live === "live") saver.tryAgain();
  }, [live, saver]);

  // Continue a save that waited for the person to sign in.
  const signedIn = useEffectEvent(() => status.is === "held" && saver.signedIn());
  useEffect(() => {
    if (status.is === "held") saver.signedIn();
    return client.getQueryCache().subscribe(({ type, query }) => {
      if (type === "updated" && query.queryKey[0] === sessionQuery.queryKey[0]) queueMicrotask(signedIn);
    });
  }, [client, saver, status.is]);
}

/** Saves what waits for its moment. */
export function saveNow(saver: AnySaver): void {
  if (saver.state().phase.is === "changed") void saver.flush();
}
