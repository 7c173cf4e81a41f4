/** Keys, as people read them. */
import { SHORTCUTS } from "@/features/text/tiptap/engine/shortcuts";

const IS_APPLE = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** `Mod-Shift-s` as `Ctrl+Shift+S`, or `⇧⌘S` where that is how it is written. */
export function keyText(shortcut: string, isApple = IS_APPLE): string {
  const keys = shortcut.split("-").map((key) => (key.length === 1 ? key.toUpperCase() : key));
  if (!isApple) return keys.map((key) => (key === "Mod" ? "Ctrl" : key)).join("+");
  const signs: Record<string, string> = { Mod: "⌘", Shift: "⇧", Alt: "⌥" };
  const key = keys.pop() ?? "";
  return `${keys
    .map((name) => signs[name] ?? name)
    .sort((one, other) => "⌥⇧⌘".indexOf(one) - "⌥⇧⌘".indexOf(other))
    .join("")}${key}`;
}

export const KEYS = {
  ...SHORTCUTS,
  undo: "Mod-z",
  redo: "Mod-y",
  save: "Mod-s",
  help: "Mod-/",
  find: "Mod-f",
  finding: "Mod-F8",
} as const;

export interface KeyHelp {
  readonly keys: readonly string[];
  readonly does: string;
}

/** In every text. */
export const FIT_HELP: KeyHelp = {
  keys: [KEYS.fit],
  does: "Move both edges of the span that the selection reaches into to where the selection is",
};

export const KEY_HELP: readonly KeyHelp[] = [
  { keys: [KEYS.toggle], does: "Mark the selection, or the word at the cursor; unmark it if it is marked" },
  { keys: [KEYS.next], does: "Select the next classified span" },
  { keys: [KEYS.previous], does: "Select the span before" },
  { keys: [KEYS.grow, KEYS.shrink], does: "Move the nearer edge of the span at the cursor out, or in, by a word" },
  { keys: [KEYS.growCharacter, KEYS.shrinkCharacter], does: "The same by a character" },
  FIT_HELP,
  { keys: [KEYS.find], does: "Find, and mark or unmark all places; what is selected is looked for" },
  { keys: ["F3", "Shift-F3"], does: "While finding: the next place, the one before" },
  { keys: ["A", "R", "U"], does: "In the hits of a policy: accept, reject, take that back" },
  { keys: [KEYS.finding], does: "Select the next text that is marked elsewhere and not here" },
  { keys: [KEYS.undo], does: "Undo" },
  { keys: [KEYS.redo, "Mod-Shift-z"], does: "Redo" },
  { keys: [KEYS.save], does: "Save now; it is saved by itself a moment after each change, too" },
  { keys: ["Tab"], does: "Leave the text: to Mark and Unmark at the selection, then on in the page" },
  { keys: [KEYS.help, "?"], does: "This help; ? only outside of the text" },
];

/** Where there are labels. */
export const LABEL_HELP: readonly KeyHelp[] = [
  { keys: [KEYS.label], does: "Choose a label for the span at the cursor, or for all that the selection reaches into" },
];
