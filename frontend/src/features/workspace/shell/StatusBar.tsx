import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import { useLiveState } from "@/session/live";
import { SaveStatus } from "../saving/SaveStatus";

/** What holds at the cursor or the selection (`children`), and whether all is saved. */
export function StatusBar({ small, className, children }: { small: boolean; className: string; children: ReactNode }) {
  const live = useLiveState();
  return (
    <div className={cx("flex min-h-8 short:min-h-6 items-center gap-x-5 gap-y-0.5 text-quiet text-xs", className)}>
      {children}
      <span className="ml-auto flex min-w-0 items-center gap-4 sm:text-right">
        <SaveStatus />
        {/* The head of the page says when it is live. */}
        {!small && live === "reconnecting" && <span className="whitespace-nowrap">{t`Not live`}</span>}
      </span>
    </div>
  );
}
