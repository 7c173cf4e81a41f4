/** The keys of each kind of page. Those of the document page come from the table that they are bound from. */
import { t } from "@lingui/core/macro";
import type { Role } from "@/api/types";
import { type KeyHelp, keyHelp } from "../workspace/shell/shortcuts";

interface KeyTable {
  readonly title: string;
  readonly role: Role;
  readonly help: readonly KeyHelp[];
}

export const KEY_TABLES: readonly KeyTable[] = [
  {
    title: t`List of documents`,
    role: "author",
    help: [
      { keys: ["Space"], does: t`Tick or untick; hold Shift to tick all from the last one` },
      { keys: ["↑", "↓"], does: t`Move between boxes; hold Shift to tick both` },
      { keys: ["Mod-a", "Escape"], does: t`Select all, or none` },
    ],
  },
  // not a text
  { title: t`Texts`, role: "author", help: keyHelp("short text", true) },
  { title: t`Word files and PDFs`, role: "author", help: keyHelp("pages", false) },
  { title: t`Workbooks and tables`, role: "author", help: keyHelp("table", false) },
  {
    title: t`Send dialog`,
    role: "author",
    help: [
      { keys: ["↑", "↓", "Enter"], does: t`Choose a recipient from the list` },
      { keys: ["Backspace"], does: t`Remove the last recipient` },
      { keys: ["Mod-Enter"], does: t`Send` },
    ],
  },
  {
    title: t`Reading`,
    role: "recipient",
    help: [
      { keys: ["Mod-f"], does: t`Find in the document; press again for the browser’s search` },
      { keys: ["F3", "Mod-g"], does: t`Go to the next match; hold Shift for the previous one` },
      { keys: ["Mod-a"], does: t`Select the document, and nothing around it` },
    ],
  },
];
