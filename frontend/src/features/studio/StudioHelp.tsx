import { useRef } from "react";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { KEYS, keyText } from "../editor/shortcuts";
import { useStudio } from "./studio";

interface KeyHelp {
  readonly keys: readonly string[];
  readonly does: string;
}

const TEXT: readonly KeyHelp[] = [
  { keys: ["Tab"], does: "Into the text, and out of it" },
  { keys: ["←", "→", "↑", "↓"], does: "Move the cursor in the text; with Ctrl by words" },
  { keys: ["Shift-→"], does: "Select, with any of those; Ctrl+A selects the part" },
];
const TABLE: readonly KeyHelp[] = [
  { keys: ["←", "→", "↑", "↓"], does: "From cell to cell; the heads of columns and rows are cells, too" },
  { keys: ["Shift-→"], does: "Select several cells" },
  { keys: ["Home", "End"], does: "To the first column, the last; with Ctrl to the first row, the last" },
  { keys: ["PageUp", "PageDown"], does: "A window up, a window down" },
  { keys: ["Mod-Space", "Shift-Space"], does: "Select the column, the row" },
];

/** The keys of this page. */
export function StudioHelp({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { format } = useStudio();
  const close = useRef<HTMLButtonElement>(null);
  const own = format === "docx" || format === "pdf" ? TEXT : format === "bytes" ? [] : TABLE;
  const help: readonly KeyHelp[] = [
    { keys: [KEYS.toggle], does: "Mark what is selected; unmark it if it is marked" },
    ...own,
    { keys: [KEYS.undo], does: "Undo" },
    { keys: [KEYS.redo, "Mod-Shift-z"], does: "Redo" },
    { keys: [KEYS.save], does: "Save now; it is saved by itself a moment after each change, too" },
    { keys: [KEYS.help, "?"], does: "This help; ? only outside of fields" },
  ];
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
      <dl tabIndex={0} className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-3 text-sm">
        {help.map(({ keys, does }) => (
          <div key={does} className="col-span-2 grid grid-cols-subgrid items-baseline">
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
