import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";

/** Asks before a page is left with what is not saved. */
export function LeaveDialog({ unsaved }: { unsaved: boolean }) {
  const now = useRef(unsaved);
  useEffect(() => {
    now.current = unsaved;
  }, [unsaved]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && now.current,
    enableBeforeUnload: () => now.current,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      open={blocker.status === "blocked"}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title="Leave without saving?"
      cancel="Stay"
      confirm="Leave"
      onConfirm={() => blocker.proceed?.()}
    >
      What you have changed in the policy would be lost.
    </ConfirmDialog>
  );
}
