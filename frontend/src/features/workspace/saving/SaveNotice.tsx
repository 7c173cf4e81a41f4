import { t } from "@lingui/core/macro";
import { CircleAlert, Download } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/Button";
import { saveMessage } from "./save-messages";
import type { Phase } from "./save-state";
import { useSaver, useSaveState } from "./saver-context";

interface SaveNoticeProps {
  /** Null where there is nothing to download that is not at the gateway. */
  onDownload: (() => void) | null;
  /** Opens the dialog of a conflict, or of a document that was deleted. */
  onDecide: () => void;
}

/** Above the text while it cannot be saved: why, and what can be done. What passes by itself is in the status line. */
export function SaveNotice({ onDownload, onDecide }: SaveNoticeProps) {
  const { phase, attempts } = useSaveState();
  const saver = useSaver();
  if (phase.is === "refused") {
    return (
      <Notice words={saveMessage(phase, 0)}>
        <Button size="sm" onClick={() => void saver.flush()}>
          {t`Try again`}
        </Button>
        {onDownload && (
          <Button size="sm" icon={<Download aria-hidden />} onClick={onDownload}>
            {t`Download the text`}
          </Button>
        )}
      </Notice>
    );
  }
  if (phase.is === "conflict" || phase.is === "deleted") {
    return (
      <Notice words={`${saveMessage(phase, 0)}.`}>
        <Button size="sm" onClick={onDecide}>
          {t`Decide`}
        </Button>
      </Notice>
    );
  }
  if (isAway(phase, attempts)) {
    return (
      <Notice words={t`Your changes aren’t saved yet. They stay on this page until the gateway is back.`}>
        <Button size="sm" onClick={() => saver.tryAgain()}>
          {t`Try now`}
        </Button>
        {onDownload && (
          <Button size="sm" icon={<Download aria-hidden />} onClick={onDownload}>
            {t`Download the text`}
          </Button>
        )}
      </Notice>
    );
  }
  return null;
}

/** Not just for a moment: then there would be more noise than news. */
function isAway(phase: Phase, attempts: number): boolean {
  return attempts > 1 && (phase.is === "waiting" || phase.is === "saving" || phase.is === "comparing");
}

function Notice({ words, children }: { words: string; children: ReactNode }) {
  return (
    <div className="mb-4 flex flex-wrap items-start gap-x-3 gap-y-2 rounded-md sm:items-center border border-danger/50 bg-danger-ground px-4 py-3 text-sm">
      <CircleAlert aria-hidden className="size-4 shrink-0 text-danger max-sm:mt-0.5" />
      <p className="wrap-anywhere min-w-48 flex-1 max-sm:basis-[calc(100%-2rem)]">{words}</p>
      <div className="flex flex-wrap gap-2 max-sm:ml-7">{children}</div>
    </div>
  );
}
