import { useState } from "react";
import { useSaveState, useWorkbench } from "./workbench";

/**
 * Sending wants everything saved first. `is`: "saving" until it is; "asking": the dialog is open; "unsaved": it was not
 * possible, and the page says why.
 */
export function useSending() {
  const { saver } = useWorkbench();
  const { phase } = useSaveState();
  const [is, set] = useState<"idle" | "saving" | "asking" | "unsaved">("idle");
  return {
    is: is === "unsaved" && phase.is === "saved" ? ("idle" as const) : is,
    start: async () => {
      set("saving");
      const { phase } = await saver.flush();
      set(phase.is === "saved" ? "asking" : "unsaved");
    },
    onOpenChange: (open: boolean) => set(open ? "asking" : "idle"),
  };
}
