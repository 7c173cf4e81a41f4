import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type ReactNode, useRef } from "react";
import type { Problem } from "@/api/problem";
import { cx } from "@/lib/cx";
import { Button } from "./Button";
import { SHEET, VEIL } from "./Dialog";
import { ErrorPanel } from "./ErrorPanel";

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The question: "Delete this document?" */
  title: string;
  /** What happens then, and what cannot be undone. */
  children?: ReactNode;
  /** The action, as a verb: "Delete". */
  confirm: string;
  cancel?: string;
  tone?: "primary" | "danger";
  busy?: boolean;
  problem?: Problem | null;
  onConfirm: () => void;
}

/** Asks before an action that cannot be undone. The focus begins on the harmless answer; it stays open until told. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, children, confirm, cancel = "Cancel", tone = "danger", busy = false } = props;
  const harmless = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={VEIL} />
        <AlertDialog.Popup className={cx(SHEET, "sm:w-[28rem]")} initialFocus={harmless}>
          <div className="min-h-0 overflow-y-auto px-6 pt-5 pb-6">
            <AlertDialog.Title className="font-serif text-xl leading-snug">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div />} className="mt-2 text-quiet text-sm">
              {children}
            </AlertDialog.Description>
            {props.problem && <ErrorPanel problem={props.problem} className="mt-4" />}
          </div>
          <div className="flex flex-wrap justify-end gap-2 border-line border-t bg-sunken px-6 py-4">
            <AlertDialog.Close render={<Button ref={harmless}>{cancel}</Button>} />
            <Button tone={tone} busy={busy} onClick={props.onConfirm}>
              {confirm}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
