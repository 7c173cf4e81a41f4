import { HelpDialog } from "../workspace/shell/HelpDialog";
import { KEYS, type KeyHelp } from "../workspace/shell/shortcuts";
import { useStudio } from "./studio";

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
  const own = format === "docx" || format === "pdf" ? TEXT : format === "bytes" ? [] : TABLE;
  const help: readonly KeyHelp[] = [
    { keys: [KEYS.toggle], does: "Mark what is selected; unmark it if it is marked" },
    ...own,
    { keys: [KEYS.undo], does: "Undo" },
    { keys: [KEYS.redo, "Mod-Shift-z"], does: "Redo" },
    { keys: [KEYS.save], does: "Save now; it is saved by itself a moment after each change, too" },
    { keys: [KEYS.help, "?"], does: "This help; ? only outside of fields" },
  ];
  return <HelpDialog help={help} open={open} onOpenChange={onOpenChange} />;
}
