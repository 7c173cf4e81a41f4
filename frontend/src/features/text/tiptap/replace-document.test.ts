import { Editor } from "@tiptap/core";
import { expect, test } from "vitest";
import { LoadError } from "@/marked-text/limits";
import { extensions } from "./engine/extensions";
import { offsetAt, positionAt } from "./engine/place";
import { serialise } from "./engine/serialise";
import { replaceDocument } from "./replace-document";

function open(marked: string, cursor: number): Editor {
  const editor = new Editor({ extensions: extensions(marked), injectCSS: false });
  editor.commands.setTextSelection(positionAt(editor.state.doc, cursor));
  return editor;
}

test.each([
  ["one two three", 4, "zero one two three", 9],
  ["one two three", 4, "one two three four", 4],
  ["one two four", 8, "one four", 4],
  ["a<$S>b<$E>c", 3, "ab<$S>c<$E>", 3],
  ["one\ntwo", 7, "", 0],
])("%j with the cursor at %i, then %j: it is at %i", (before, cursor, after, expected) => {
  const editor = open(before, cursor);
  replaceDocument(editor, after);
  expect(serialise(editor.state.doc)).toBe(after);
  expect(offsetAt(editor.state.doc, editor.state.selection.head)).toBe(expected);
  expect(editor.can().undo()).toBe(false);
  editor.destroy();
});

test("no rule of editing changes it: what was classified may be plain there", () => {
  const editor = open("<$S>secret<$E>", 3);
  replaceDocument(editor, "<$S>sec<$E>ret");
  expect(serialise(editor.state.doc)).toBe("<$S>sec<$E>ret");
  editor.destroy();
});

test("what cannot be held changes nothing", () => {
  const editor = open("good", 0);
  expect(() => replaceDocument(editor, "a\0b")).toThrow(LoadError);
  expect(serialise(editor.state.doc)).toBe("good");
  editor.destroy();
});
