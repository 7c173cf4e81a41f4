/** What the table in `typing-rules.test.ts` does not have: chunks and pieces of lines, dragging, spans' numbers. */
import { TextSelection } from "@tiptap/pm/state";
import { describe, expect, test } from "vitest";
import { unmark } from "./commands";
import { plainText } from "./serialise";
import { Session, spanOfEach, textOf } from "./session.fixture";

const open = (marked: string) => new Session(marked);

test("cutting lines and chunks again does not make the cursor forget", () => {
  const session = new Session("ab\n<$S>c\nde\n<$E>".repeat(20), { chunkLines: 2, chunkLength: 10, lineLength: 2 });
  expect(session.select(3, 5).backspace().type("x").marked.startsWith("ab\n<$S>xde\n<$E>ab")).toBe(true);
});

describe("Backspace and Delete", () => {
  test("work over the edges of chunks", () => {
    const lines = Array.from({ length: 120 }, (_, index) => `line ${index}`);
    const text = lines.join("\n");
    const at = text.indexOf("line 50");
    expect(new Session(text).state.doc.childCount).toBe(3);
    expect(open(text).select(at).backspace().marked).toBe(text.replace("\nline 50", "line 50"));
    expect(
      open(text)
        .select(at - 1)
        .delete().marked,
    ).toBe(text.replace("\nline 50", "line 50"));
    const long = open(text).select(5, text.length - 5);
    expect(long.backspace().marked).toBe(text.slice(0, 5) + text.slice(-5));
    expect(long.undo().marked).toBe(text);
  });

  test("over the pieces of a very long line delete a character", () => {
    const text = `${"a".repeat(16_382)}e\u0301${"b".repeat(100)}`;
    const session = open(text);
    expect(session.state.doc.child(0).childCount).toBe(2);
    const start = 4 + (session.state.doc.child(0).firstChild?.content.size ?? 0);
    const tr = session.state.tr;
    session.apply(tr.setSelection(TextSelection.create(tr.doc, start)));
    expect(session.backspace().marked === text.replace("e\u0301", "")).toBe(true);
    expect(session.undo().marked === text).toBe(true);
  });
});

describe("pasting", () => {
  test("text with several spans gives each its own number", () => {
    const copied = open("a<$S>bc<$E><$S>d<$E>e").select(0, 5).copy();
    expect(new Set(spanOfEach(open("<$S>x<$E> y").select(3).paste(copied).state.doc)).size).toBe(4);
  });

  test("of many lines makes chunks", () => {
    const text = "line\n".repeat(5000);
    const session = open("a<$S>b<$E>c").select(2).paste(text);
    expect(session.marked).toBe(`a<$S>b${text}<$E>c`);
    expect(session.state.doc.childCount).toBeGreaterThan(90);
    expect(session.undo().marked).toBe("a<$S>b<$E>c");
    expect(session.redo().marked).toBe(`a<$S>b${text}<$E>c`);
  });
});

describe("dropping", () => {
  test("moves text with its classification", () => {
    expect(open("ab<$S>cd<$E>ef").select(3, 5).drop(1).marked).toBe("a<$S>d<$E>eb<$S>c<$E>f");
    expect(open("ab<$S>cd<$E>ef").select(0, 1).drop(3).marked).toBe("b<$S>cad<$E>ef");
    expect(open("ab<$S>cd<$E>ef").select(0, 1).drop(3, false).marked).toBe("ab<$S>cad<$E>ef");
    expect(open("ab<$S>cd<$E>ef").select(1, 4).drop(2).marked).toBe("ab<$S>cd<$E>ef");
  });
});

test("nothing of what is classified is in the plain text", () => {
  const session = open("ab<$S>SECRET<$E>ef").select(8).enter().type("SECRET").select(5).paste("SECRET");
  expect(plainText(session.state.doc)).toBe("abef");
  expect(textOf(session.state.doc)).toBe("abSECSECRETRET\nSECRETef");
  expect(session.select(9).run(unmark).marked).toBe("abSECSECRETRET\nSECRETef");
});
