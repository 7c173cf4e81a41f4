import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { marksOf } from "@/api/files";
import { asProblem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { absoluteText } from "@/lib/times";
import type { Theirs } from "../editor/save-state";
import { useSaveState } from "../editor/saving";
import { canonical, united } from "./model/marks";
import { useStudio } from "./studio";

interface StudioDecisionsProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The page is to be left, and what is in it with it. */
  onLeave: () => void;
}

/** What somebody has to decide before marks can be saved again. */
export function StudioDecisions({ open, onOpenChange, onLeave }: StudioDecisionsProps) {
  const { phase } = useSaveState();
  const { saver } = useStudio();
  if (phase.is === "conflict") return <Conflict theirs={phase.theirs} open={open} onOpenChange={onOpenChange} />;
  if (phase.is !== "deleted") return null;
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Deleted elsewhere"
      cancel="Stay"
      confirm="Leave"
      onConfirm={() => {
        saver.drop();
        onLeave();
      }}
    >
      This document was deleted in another window, or by a program, and its file with it. To mark it again, import the
      file again.
    </ConfirmDialog>
  );
}

/** Marked here and elsewhere. Closed without an answer, it stays to be decided. */
function Conflict({
  theirs,
  open,
  onOpenChange,
}: {
  theirs: Theirs;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { id, book, saver } = useStudio();
  const first = useRef<HTMLButtonElement>(null);
  const both = useMutation({
    mutationFn: () => marksOf(id, new AbortController().signal),
    onSuccess: ({ marks }) => {
      book.change(united(book.page().marks, canonical(marks)), "Took the other marks, too");
      saver.keepMine();
    },
  });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={`Saved elsewhere at ${absoluteText(new Date(theirs.changedAt))}`}
      description="What is classified in this document was changed there and here. Which marks are to count?"
      initialFocus={first}
      footer={<Button onClick={() => onOpenChange(false)}>Decide later</Button>}
    >
      <div className="flex flex-col gap-3">
        <Choice
          note="All that is marked there or here is classified. Nothing that either of you marked goes plain."
          button={
            <Button ref={first} tone="primary" busy={both.isPending} onClick={() => both.mutate()}>
              Keep both
            </Button>
          }
        />
        <Choice
          note="Your marks take the place of the other ones."
          button={
            <Button disabled={both.isPending} onClick={() => saver.keepMine()}>
              Keep mine
            </Button>
          }
        />
        <Choice
          note="The other marks take the place of yours since your last save."
          button={
            <Button tone="danger" disabled={both.isPending} onClick={() => saver.takeTheirs()}>
              Take theirs
            </Button>
          }
        />
        {both.error && <ErrorPanel title="The other marks could not be loaded." problem={asProblem(both.error)} />}
      </div>
    </Dialog>
  );
}

function Choice({ button, note }: { button: ReactNode; note: string }) {
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line px-4 py-3 sm:flex-row sm:items-center sm:gap-4">
      <p className="flex-1 text-quiet text-sm">{note}</p>
      <div className="[&>button]:w-full">{button}</div>
    </div>
  );
}
