import { useState } from "react";
import { useSaver, useSaveState } from "../saving/saver-context";

/**
 * A document must be saved before it is sent. `is`: "saving" until it is; "asking": the dialog is open; "unsaved": it was not
 * possible, and the page says why.
 */
export function useSending() {
  const saver = useSaver();
  const { phase } = useSaveState();
  const [is, set] = useState<"idle" | "saving" | "asking" | "unsaved">("idle");
  // That it was not possible is over once it is.
  if (is === "unsaved" && phase.is === "saved") set("idle");
  return {
    is,
    start: async () => {
      set("saving");
      const { phase } = await saver.flush();
      set(phase.is === "saved" ? "asking" : "unsaved");
    },
    onOpenChange: (open: boolean) => set(open ? "asking" : "idle"),
  };
}
