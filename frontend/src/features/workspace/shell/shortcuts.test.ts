// @vitest-environment jsdom
import { expect, test } from "vitest";
import { type DocumentKind, isPressed, keyHelp, keyText, SHORTCUTS } from "./shortcuts";

const KINDS: readonly DocumentKind[] = ["short text", "long text", "pages", "table", "bytes"];

test("keys as people read them", () => {
  expect(keyText("Mod-Shift-s", false)).toBe("Ctrl+Shift+S");
  expect(keyText("Mod-Shift-s", true)).toBe("⇧⌘S");
  expect([keyText("Shift-F8", false), keyText("Shift-F8", true)]).toEqual(["Shift+F8", "⇧F8"]);
});

const key = (key: string, ...held: ("ctrlKey" | "metaKey" | "shiftKey" | "altKey")[]) =>
  new KeyboardEvent("keydown", { key, ...Object.fromEntries(held.map((name) => [name, true])) });

test("a key is its shortcut's only with just the keys held that belong to it; signs are where the keyboard has them", () => {
  expect(isPressed("mark", key("S", "ctrlKey", "shiftKey"))).toBe(true);
  expect(isPressed("save", key("S", "ctrlKey", "shiftKey"))).toBe(false);
  expect(isPressed("save", key("s", "metaKey"))).toBe(true);
  expect(isPressed("save", key("s", "ctrlKey", "altKey"))).toBe(false);
  expect([isPressed("undo", key("z", "ctrlKey")), isPressed("redo", key("z", "ctrlKey", "shiftKey"))]).toEqual([
    true,
    true,
  ]);
  expect([isPressed("nextPlace", key("F3")), isPressed("previousPlace", key("F3", "shiftKey"))]).toEqual([true, true]);
  expect(isPressed("finding", key("F8"))).toBe(false);
  // On a German keyboard both are typed with Shift.
  expect([isPressed("help", key("/", "ctrlKey", "shiftKey")), isPressed("help", key("?", "shiftKey"))]).toEqual([
    true,
    true,
  ]);
});

test("the help lists every shortcut for some kind of document, and no key twice for one", () => {
  const listed = (kind: DocumentKind) => keyHelp(kind, true).flatMap(({ keys }) => keys);
  for (const kind of KINDS) expect(new Set(listed(kind)).size).toBe(listed(kind).length);
  const all = KINDS.flatMap(listed);
  for (const [shortcut] of Object.values(SHORTCUTS)) expect(all).toContain(shortcut);
  expect(keyHelp("long text", false)).toHaveLength(keyHelp("long text", true).length - 1);
});
