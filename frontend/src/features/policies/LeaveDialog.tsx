import { t } from "@lingui/core/macro";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ConfirmDialog, type ConfirmDialogProps } from "@/components/ui/ConfirmDialog";

/** Asks before the reader leaves the page with unsaved changes. */
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
      confirm={t`Leave`}
      onConfirm={() => blocker.proceed?.()}
    />
  );
}

/** Asks before unsaved changes are discarded. */
export function DiscardDialog(props: Pick<ConfirmDialogProps, "open" | "onClose" | "confirm" | "onConfirm">) {
  return (
    <ConfirmDialog
      {...props}
      title={t`Leave without saving?`}
      cancel={t`Stay`}
    >{t`Your changes to this policy will be lost.`}</ConfirmDialog>
  );
}
