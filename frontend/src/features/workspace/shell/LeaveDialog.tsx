import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useBlocker } from "@tanstack/react-router";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { useSaver, wouldLose } from "../saving/saver-context";

/** So long a navigation waits for the save before it asks. */
const PATIENCE_MS = 5000;

/** Saves before the page is left; asks if that is not possible. */
export function LeaveDialog() {
  const saver = useSaver();
  const blocker = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname || !wouldLose(saver)) return false;
      await Promise.race([saver.flush(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
      return wouldLose(saver);
    },
    enableBeforeUnload: () => wouldLose(saver),
    withResolver: true,
  });
  return (
    <ConfirmDialog
      open={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={t`Leave without saving?`}
      cancel={t`Stay`}
      confirm={t`Leave`}
      onConfirm={() => {
        saver.drop();
        blocker.proceed?.();
      }}
    >
      <Trans>
        The latest changes could not be saved. If you leave, you lose them. If you stay, they are saved as soon as
        possible.
      </Trans>
    </ConfirmDialog>
  );
}
