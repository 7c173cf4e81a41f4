import { t } from "@lingui/core/macro";
import { type ReactNode, useId } from "react";
import { Button } from "./Button";
import { Dialog, type DialogProps } from "./Dialog";
import { ErrorPanel } from "./ErrorPanel";

interface FormDialogProps extends Pick<DialogProps, "title" | "description" | "width" | "initialFocus"> {
  open?: boolean;
  onClose: () => void;
  /** The action, as a verb: "Create account". */
  confirm: string;
  /** Whether enough is filled in to submit. */
  ready?: boolean;
  /** The mutation that submitting starts: the dialog shows its progress and its error. */
  action: { readonly isPending: boolean; readonly error: Error | null };
  onSubmit: () => void;
  children?: ReactNode;
}

/** A dialog with a form, and buttons that cancel and submit it. Submitting does not close it. */
export function FormDialog(props: FormDialogProps) {
  const { open = true, onClose, confirm, ready = true, action, onSubmit, children, ...dialog } = props;
  const form = useId();
  return (
    <Dialog
      {...dialog}
      scrollsWhole
      open={open}
      onOpenChange={(next) => next || onClose()}
      footer={
        <>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" form={form} tone="primary" busy={action.isPending} disabled={!ready}>
            {confirm}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => {
          // React passes on what happens in a form of a dialog that these fields open.
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          if (ready && !action.isPending) onSubmit();
        }}
        className="flex flex-col gap-5"
      >
        {children}
        {action.error && <ErrorPanel problem={action.error} />}
      </form>
    </Dialog>
  );
}
