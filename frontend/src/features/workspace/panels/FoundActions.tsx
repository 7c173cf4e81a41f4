import { t } from "@lingui/core/macro";
import { Lock, LockOpen } from "lucide-react";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { numberText } from "@/lib/numbers";
import type { MarkState } from "@/marked-text/mark-state";

export type FoundAction = "mark" | "unmark";

interface ChosenBoxProps {
  chosen: number;
  count: number;
  onAll: (on: boolean) => void;
}

/** How many of the found places are chosen; chooses all or none. */
export function ChosenBox({ chosen, count, onAll }: ChosenBoxProps) {
  return (
    <Checkbox
      label={t`${{ chosen: numberText(chosen) }} of ${{ count: numberText(count) }} chosen`}
      checked={chosen === count}
      indeterminate={chosen > 0 && chosen < count}
      onCheckedChange={onAll}
      className="border-line border-t pt-3"
    />
  );
}

interface FoundActionsProps {
  /** Of the chosen places. */
  states: readonly MarkState[];
  /** Every place is chosen. */
  all: boolean;
  /** The places are about to change. */
  stale: boolean;
  /** Of the current place. */
  here: MarkState | undefined;
  onAll: (action: FoundAction) => void;
  onThis: (action: FoundAction) => void;
}

/** Marks and unmarks the chosen places, or the current one. */
export function FoundActions({ states, all, stale, here, onAll, onThis }: FoundActionsProps) {
  const toMark = states.filter((state) => state !== "marked").length;
  const toUnmark = states.filter((state) => state !== "plain").length;
  return (
    <div className="flex flex-col gap-2 border-line border-t pt-3">
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          tone="primary"
          className="flex-1"
          icon={<Lock aria-hidden />}
          disabled={stale || toMark === 0}
          onClick={() => onAll("mark")}
        >
          {markText(all, toMark)}
        </Button>
        <Button
          size="sm"
          className="flex-1"
          icon={<LockOpen aria-hidden />}
          disabled={stale || toUnmark === 0}
          onClick={() => onAll("unmark")}
        >
          {unmarkText(all, toUnmark)}
        </Button>
      </div>
      {here && (
        <Button size="sm" onClick={() => onThis(here === "marked" ? "unmark" : "mark")}>
          {here === "marked" ? t`Unmark this one` : t`Mark this one`}
        </Button>
      )}
    </div>
  );
}

/** A button shows no number if there is nothing for it to do. */
function markText(all: boolean, count: number): string {
  if (count === 0) return all ? t`Mark all` : t`Mark`;
  const number = numberText(count);
  return all ? t`Mark all ${number}` : t`Mark ${number}`;
}

function unmarkText(all: boolean, count: number): string {
  if (count === 0) return all ? t`Unmark all` : t`Unmark`;
  const number = numberText(count);
  return all ? t`Unmark all ${number}` : t`Unmark ${number}`;
}
