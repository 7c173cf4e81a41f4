import { CircleAlert, CircleCheck, CircleDashed } from "lucide-react";
import { cx } from "@/lib/cx";
import { useNow } from "@/lib/use-now";
import type { Phase } from "./save-state";
import { saveWords } from "./save-words";
import { useSaveState } from "./saving";

/** Whether all is saved, in words. What matters is announced elsewhere: this changes with each key. */
export function SaveWords({ className }: { className?: string }) {
  const { phase } = useSaveState();
  return (
    <span
      data-save={phase.is}
      className={cx("inline-flex min-w-0 items-center gap-1.5", isBad(phase) && "font-medium text-danger", className)}
    >
      {phase.is === "saved" && <CircleCheck aria-hidden className="size-3.5 shrink-0 text-ok" />}
      {!isBad(phase) && phase.is !== "saved" && <CircleDashed aria-hidden className="size-3.5 shrink-0" />}
      {isBad(phase) && <CircleAlert aria-hidden className="size-3.5 shrink-0" />}
      <span className="min-w-0">{phase.is === "waiting" ? <Countdown phase={phase} /> : saveWords(phase, 0)}</span>
    </span>
  );
}

function Countdown({ phase }: { phase: Phase }) {
  return saveWords(phase, useNow(1000));
}

function isBad({ is }: Phase): boolean {
  return is === "waiting" || is === "signed-out" || is === "conflict" || is === "refused" || is === "deleted";
}
