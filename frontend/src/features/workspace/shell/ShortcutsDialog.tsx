import { t } from "@lingui/core/macro";
import { useRef } from "react";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { KeyList } from "./KeyList";
import type { KeyHelp } from "./shortcuts";

interface ShortcutsDialogProps {
  help: readonly KeyHelp[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** What can be done by keys. */
export function ShortcutsDialog({ help, open, onOpenChange }: ShortcutsDialogProps) {
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`Keyboard shortcuts`}
      width="lg"
      initialFocus={close}
      footer={
        <Button ref={close} onClick={() => onOpenChange(false)}>
          {t`Close`}
        </Button>
      }
    >
      {/* A stop for Tab: there may be more than fits, and keys must scroll it, too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <div tabIndex={0}>
        <KeyList help={help} />
      </div>
    </Dialog>
  );
}
