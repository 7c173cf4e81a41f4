import { useRef } from "react";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { type KeyHelp, keyText } from "./shortcuts";

interface HelpDialogProps {
  help: readonly KeyHelp[];
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** What can be done by keys. */
export function HelpDialog({ help, open, onOpenChange }: HelpDialogProps) {
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Keyboard shortcuts"
      width="lg"
      initialFocus={close}
      footer={
        <Button ref={close} onClick={() => onOpenChange(false)}>
          Close
        </Button>
      }
    >
      {/* A stop for Tab: there may be more than fits, and keys must scroll it, too. */}
      <dl tabIndex={0} className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-[auto_1fr]">
        {help.map(({ keys, does }) => (
          <div key={does} className="grid items-baseline gap-y-1 sm:col-span-2 sm:grid-cols-subgrid">
            <dt className="flex flex-wrap gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="whitespace-nowrap rounded-sm border border-edge/60 bg-sunken px-1.5 py-0.5 font-sans text-xs"
                >
                  {keyText(key)}
                </kbd>
              ))}
            </dt>
            <dd className="text-quiet">{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
