import { t } from "@lingui/core/macro";
import { useRef } from "react";
import { asProblem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { absoluteText } from "@/lib/times";
import type { Theirs } from "./save-state";

export interface ConflictChoice {
  readonly word: string;
  /** What becomes of the two then. */
  readonly note: string;
  readonly onChoose: () => void;
  /** It is being carried out. */
  readonly busy?: boolean;
}

interface ConflictChoicesProps {
  theirs: Theirs;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  description: string;
  /** By which nothing is lost, by which theirs is, and by which ours is. */
  choices: readonly [ConflictChoice, ConflictChoice, ConflictChoice];
  /** Why the first one did not succeed, under that title. */
  failed: { readonly title: string; readonly error: Error | null };
}

const TONES = ["primary", "quiet", "danger"] as const;

/**
 * It was saved elsewhere while it was changed here. Closed without an answer, it stays to be decided. While an answer is
 * carried out it stays open: what would be typed then would be lost.
 */
export function ConflictChoices(props: ConflictChoicesProps) {
  const { theirs, open, onOpenChange, description, choices, failed } = props;
  const first = useRef<HTMLButtonElement>(null);
  const busy = choices.some((choice) => choice.busy);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`Saved elsewhere at ${{ time: absoluteText(new Date(theirs.changedAt)) }}`}
      description={description}
      initialFocus={first}
      insistent={busy}
      footer={
        <Button disabled={busy} onClick={() => onOpenChange(false)}>
          {t`Decide later`}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        {choices.map(({ word, note, onChoose, busy: its = false }, index) => (
          <div
            key={word}
            className="flex flex-col gap-2 rounded-md border border-line px-4 py-3 sm:flex-row sm:items-center sm:gap-4"
          >
            <p className="flex-1 text-quiet text-sm">{note}</p>
            <div className="[&>button]:w-full">
              <Button
                ref={index === 0 ? first : undefined}
                tone={TONES[index] ?? "quiet"}
                busy={its}
                disabled={busy && !its}
                onClick={onChoose}
              >
                {word}
              </Button>
            </div>
          </div>
        ))}
        {failed.error && <ErrorPanel title={failed.title} problem={asProblem(failed.error)} />}
      </div>
    </Dialog>
  );
}
