import { AlertDialog } from "@base-ui/react/alert-dialog";
import { t } from "@lingui/core/macro";
import { type ReactNode, useRef } from "react";
import { cx } from "@/lib/cx";
import { Button } from "./Button";
import { SHEET, VEIL } from "./Dialog";
import { ErrorPanel } from "./ErrorPanel";

export interface ConfirmDialogProps {
  open?: boolean;
  onClose: () => void;
  /** The question: "Delete this document?" */
  title: string;
  /** The consequences, and what cannot be undone. */
  children?: ReactNode;
  /** The action, as a verb: "Delete". */
  confirm: string;
  cancel?: string;
  tone?: "primary" | "danger";
  /** The mutation that the action starts: the dialog shows its progress and its error. */
  action?: { readonly isPending: boolean; readonly error: Error | null };
  onConfirm: () => void;
}

/** Asks before an action that cannot be undone. Cancel has the focus first. The action does not close the dialog. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open = true, onClose, title, children, confirm, cancel = t`Cancel`, tone = "danger", action } = props;
  const harmless = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => next || onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={VEIL} />
        <AlertDialog.Popup className={cx(SHEET, "sm:w-[28rem]")} initialFocus={harmless}>
          <div className="min-h-0 overflow-y-auto px-6 pt-5 pb-6">
            <AlertDialog.Title className="font-serif text-xl leading-snug">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div />} className="mt-2 text-quiet text-sm">
              {children}
            </AlertDialog.Description>
            {action?.error && <ErrorPanel problem={action.error} className="mt-4" />}
          </div>
          <div className="flex flex-wrap justify-end gap-2 border-line border-t bg-sunken px-6 py-4">
            <AlertDialog.Close render={<Button ref={harmless}>{cancel}</Button>} />
            <Button tone={tone} busy={action?.isPending ?? false} onClick={props.onConfirm}>
              {confirm}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
