/** The shortcuts of the document page. Keys are bound from this table in the engines of texts and in use-page-keys, and the help lists it. */
import { t } from "@lingui/core/macro";

/**
 * Written as ProseMirror and CodeMirror write keys; the first of several is the one that tooltips show. Why these:
 * neither Chromium nor Firefox keeps Mod-Shift-S (S for secret, beside Mod-S) from the page; Firefox and Edge would take a
 * screenshot, which the page prevents. F8 goes from one finding to the next in other editors. F9 is the next key: no
 * Ctrl+Alt, which is AltGr on Windows. The signs > and <, on the keys of `grow` and `shrink`, point to where the edge goes.
 */
// not a text
export const SHORTCUTS = {
  mark: ["Mod-Shift-s"],
  nextSpan: ["F8"],
  previousSpan: ["Shift-F8"],
  grow: ["Mod-Shift-."],
  shrink: ["Mod-Shift-,"],
  growCharacter: ["F9"],
  shrinkCharacter: ["Shift-F9"],
  fit: ["Mod-F9"],
  label: ["Mod-Shift-l"],
  find: ["Mod-f"],
  nextPlace: ["F3", "Mod-g"],
  previousPlace: ["Shift-F3", "Mod-Shift-g"],
  finding: ["Mod-F8"],
  undo: ["Mod-z"],
  redo: ["Mod-y", "Mod-Shift-z"],
  save: ["Mod-s"],
  help: ["Mod-/", "?"],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type Shortcut = keyof typeof SHORTCUTS;

/** The key of each shortcut that editors bind and tooltips show. */
export const KEYS = Object.fromEntries(Object.entries(SHORTCUTS).map(([name, [key]]) => [name, key])) as {
  readonly [Name in Shortcut]: (typeof SHORTCUTS)[Name][0];
};

export type DocumentKind = "short text" | "long text" | "pages" | "table" | "bytes";

export interface KeyHelp {
  readonly keys: readonly string[];
  readonly does: string;
}

const SHORT: DocumentKind = "short text"; // not a text
const TEXT: readonly DocumentKind[] = [SHORT, "long text"]; // not a text
const FILE: readonly DocumentKind[] = ["pages", "table", "bytes"];
const ALL = [...TEXT, ...FILE];
const of = (...names: Shortcut[]): readonly string[] => names.flatMap((name) => KEYS[name]);

const HELP: readonly (KeyHelp & { readonly on: readonly DocumentKind[]; readonly labels?: true })[] = [
  { on: TEXT, keys: of("mark"), does: t`Mark the selection or the word at the cursor, or unmark it` },
  { on: FILE, keys: of("mark"), does: t`Mark or unmark the selection` },
  { on: TEXT, keys: of("nextSpan"), does: t`Select the next classified span` },
  { on: TEXT, keys: of("previousSpan"), does: t`Select the previous classified span` },
  {
    on: TEXT,
    keys: of("grow", "shrink"),
    does: t`Move the nearest edge of the span at the cursor out or in by one word`,
  },
  { on: TEXT, keys: of("growCharacter", "shrinkCharacter"), does: t`Move that edge by one character` },
  { on: TEXT, keys: of("fit"), does: t`Fit the span to the selection` },
  { on: TEXT, keys: of("find"), does: t`Find the selection or a phrase, and mark or unmark all places` },
  { on: TEXT, keys: of("nextPlace", "previousPlace"), does: t`While finding: go to the next or previous place` },
  { on: TEXT, keys: ["A", "R", "U"], does: t`In policy hits: accept, reject, or undo that` },
  { on: TEXT, keys: of("finding"), does: t`Go to the next finding` },
  { on: ["pages"], keys: ["Tab"], does: t`Enter or leave the text` },
  { on: ["pages"], keys: ["←", "→", "↑", "↓"], does: t`Move the cursor in the text; hold Ctrl to move by words` },
  { on: ["pages"], keys: ["Shift-→"], does: t`Hold Shift with any of these to select; Ctrl+A selects the section` },
  { on: ["table"], keys: ["←", "→", "↑", "↓"], does: t`Move between cells, and to column and row headings` },
  { on: ["table"], keys: ["Shift-→"], does: t`Select several cells` },
  {
    on: ["table"],
    keys: ["Home", "End"],
    does: t`Go to the first or last column; hold Ctrl for the first or last row`,
  },
  { on: ["table"], keys: ["Alt-Shift-→", "Alt-Shift-←"], does: t`Make the column wider or narrower` },
  { on: ["table"], keys: ["PageUp", "PageDown"], does: t`Move up or down by one screen` },
  { on: ["table"], keys: ["Mod-Space", "Shift-Space"], does: t`Select the column or the row` },
  { on: ALL, keys: of("undo"), does: t`Undo` },
  { on: ALL, keys: SHORTCUTS.redo, does: t`Redo` },
  { on: ALL, keys: of("save"), does: t`Save now; changes are also saved automatically` },
  {
    on: [SHORT],
    keys: ["Tab"],
    does: t`Leave the text: go to the buttons at the selection, then to the rest of the page`,
  },
  { on: TEXT, keys: of("label"), labels: true, does: t`Choose a label for the span at the cursor or in the selection` },
  { on: ALL, keys: SHORTCUTS.help, does: t`Show this help; ? works only while you are not typing` },
];

/** The help for a document of this kind. `hasLabels`: spans can have labels here. */
export function keyHelp(kind: DocumentKind, hasLabels: boolean): readonly KeyHelp[] {
  return HELP.filter(({ on, labels }) => on.includes(kind) && (!labels || hasLabels));
}

/** Whether one of the keys of this shortcut was pressed. */
export function isPressed(name: Shortcut, event: KeyboardEvent): boolean {
  return !event.altKey && SHORTCUTS[name].some((shortcut) => matches(shortcut, event));
}

function matches(shortcut: string, { key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  const parts = shortcut.split("-");
  const wanted = parts.pop() ?? "";
  // Which signs want Shift depends on the keyboard.
  const isSign = wanted.length === 1 && !/\w/.test(wanted);
  return (
    key.toLowerCase() === wanted.toLowerCase() &&
    (ctrlKey || metaKey) === parts.includes("Mod") &&
    (isSign || shiftKey === parts.includes("Shift"))
  );
}

/** For `aria-keyshortcuts`. */
export function ariaKeys(shortcut: string): string {
  return shortcut.replaceAll("-", "+").replace("Mod", "Control"); // not a text
}

const IS_APPLE = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** As keyboards name them in the chosen language. */
const KEY_NAMES: Readonly<Record<string, string>> = {
  Mod: t({ context: "key", message: "Ctrl" }),
  Shift: t({ context: "key", message: "Shift" }),
  Space: t({ context: "key", message: "Space" }),
  Home: t({ context: "key", message: "Home" }),
  End: t({ context: "key", message: "End" }),
  PageUp: t({ context: "key", message: "PageUp" }),
  PageDown: t({ context: "key", message: "PageDown" }),
};

/** `Mod-Shift-s` as `Ctrl+Shift+S`, or `⇧⌘S` on Apple's systems. */
export function keyText(shortcut: string, isApple = IS_APPLE): string {
  const keys = shortcut.split("-").map((key) => (key.length === 1 ? key.toUpperCase() : key));
  if (!isApple) return keys.map((key) => KEY_NAMES[key] ?? key).join("+");
  const signs: Record<string, string> = { Mod: "⌘", Shift: "⇧", Alt: "⌥" };
  const key = keys.pop() ?? "";
  return `${keys
    .map((name) => signs[name] ?? name)
    .sort((one, other) => "⌥⇧⌘".indexOf(one) - "⌥⇧⌘".indexOf(other))
    .join("")}${key}`;
}
