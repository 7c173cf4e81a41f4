/** The keys of each kind of page. Those of the document page come from the table that they are bound from. */
import type { Role } from "@/api/types";
import { type KeyHelp, keyHelp } from "../workspace/shell/shortcuts";

interface KeyTable {
  readonly title: string;
  readonly role: Role;
  readonly help: readonly KeyHelp[];
}

export const KEY_TABLES: readonly KeyTable[] = [
  {
    title: "List of documents",
    role: "author",
    help: [
      { keys: ["Space"], does: "Tick or untick; hold Shift to tick all from the last one" },
      { keys: ["↑", "↓"], does: "Move between boxes; hold Shift to tick both" },
      { keys: ["Mod-a", "Escape"], does: "Select all, or none" },
    ],
  },
  { title: "Texts", role: "author", help: keyHelp("short text", true) },
  { title: "Word files and PDFs", role: "author", help: keyHelp("pages", false) },
  { title: "Workbooks and tables", role: "author", help: keyHelp("table", false) },
  {
    title: "Send dialog",
    role: "author",
    help: [
      { keys: ["↑", "↓", "Enter"], does: "Choose a recipient from the list" },
      { keys: ["Backspace"], does: "Remove the last recipient" },
      { keys: ["Mod-Enter"], does: "Send" },
    ],
  },
  {
    title: "Reading",
    role: "recipient",
    help: [
      { keys: ["Mod-f"], does: "Find in the document; press again for the browser’s search" },
      { keys: ["F3", "Mod-g"], does: "Go to the next match; hold Shift for the previous one" },
      { keys: ["Mod-a"], does: "Select the document, and nothing around it" },
    ],
  },
];
