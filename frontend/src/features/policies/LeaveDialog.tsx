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
    <DiscardDialog
      open={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      confirm="Leave"
      onConfirm={() => blocker.proceed?.()}
    />
  );
}

interface DiscardDialogProps {
  open: boolean;
  onClose: () => void;
  confirm: string;
  onConfirm: () => void;
}

/** Asks before what is not saved gives way to something else. */
export function DiscardDialog({ open, onClose, confirm, onConfirm }: DiscardDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(open) => !open && onClose()}
      title="Leave without saving?"
      cancel="Stay"
      confirm={confirm}
      onConfirm={onConfirm}
    >
      Your changes to this policy will be lost.
    </ConfirmDialog>
  );
}
