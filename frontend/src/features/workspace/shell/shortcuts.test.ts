// @vitest-environment jsdom
import { expect, test } from "vitest";
import { keyText } from "./shortcuts";

test("keys as people read them", () => {
  expect(keyText("Mod-Shift-s", false)).toBe("Ctrl+Shift+S");
  expect(keyText("Mod-Shift-s", true)).toBe("⇧⌘S");
  expect([keyText("Shift-F8", false), keyText("Shift-F8", true)]).toEqual(["Shift+F8", "⇧F8"]);
});
