import { type ReactNode, useRef, useState } from "react";
import { asProblem } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { absoluteText } from "@/lib/times";
import type { Theirs } from "./save-state";
import { mineName, useKeepAsNew } from "./use-keep-as-new";
import { useWorkbench } from "./workbench";

interface ConflictDialogProps {
  draft: DraftShown;
  theirs: Theirs;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The document was saved elsewhere while it was changed here. Closed without an answer, it stays to be decided. */
export function ConflictDialog({ draft, theirs, open, onOpenChange }: ConflictDialogProps) {
  const { saver } = useWorkbench();
  const keeping = useKeepAsNew(draft, mineName(draft.name));
  const [sure, setSure] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  return (
    <>
      <Dialog
        open={open}
        onOpenChange={onOpenChange}
        title={`Saved elsewhere at ${absoluteText(new Date(theirs.changedAt))}`}
        description="This document was changed there and here. What is to become of the two?"
        initialFocus={first}
        footer={<Button onClick={() => onOpenChange(false)}>Decide later</Button>}
      >
        <div className="flex flex-col gap-3">
          <Choice
            note="Nothing is lost: the other one stays as it is, and you go on in yours."
            button={
              <Button ref={first} tone="primary" busy={keeping.isPending} onClick={() => keeping.mutate()}>
                Keep mine as a new document
              </Button>
            }
          />
          <Choice
            note="Saves yours over the other one, which is lost."
            button={
              <Button disabled={keeping.isPending} onClick={() => saver.keepMine()}>
                Keep mine
              </Button>
            }
          />
          <Choice
            note="Shows the other one; what you changed since your last save is lost."
            button={
              <Button tone="danger" disabled={keeping.isPending} onClick={() => setSure(true)}>
                Take theirs
              </Button>
            }
          />
          {keeping.error && <ErrorPanel title="It was not kept." problem={asProblem(keeping.error)} />}
        </div>
      </Dialog>
      <ConfirmDialog
        open={sure}
        onOpenChange={setSure}
        title="Lose your changes?"
        confirm="Take theirs"
        onConfirm={() => {
          setSure(false);
          saver.takeTheirs();
        }}
      >
        What you changed here since your last save goes for good.
      </ConfirmDialog>
    </>
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
