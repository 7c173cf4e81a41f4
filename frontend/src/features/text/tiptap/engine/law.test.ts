import { TextSelection } from "@tiptap/pm/state";
import { describe, expect, test } from "vitest";
import { unmark } from "./commands";
import { typesClassified } from "./law";
import { plainText } from "./serialise";
import { positionOf, Session, schema, spanOfEach, textOf } from "./session.fixture";

const open = (marked: string) => new Session(marked);

describe("typing", () => {
  test("inside a span is classified", () => {
    expect(open("ab<$S>cd<$E>ef").select(3).type("xy").marked).toBe("ab<$S>cxyd<$E>ef");
  });

  test("at the end of a span is classified", () => {
    expect(open("ab<$S>cd<$E>ef").select(4).type("xy").marked).toBe("ab<$S>cdxy<$E>ef");
  });

  test("at the start of a span is not, in a line and at its start", () => {
    expect(open("ab<$S>cd<$E>ef").select(2).type("xy").marked).toBe("abxy<$S>cd<$E>ef");
    expect(open("<$S>cd<$E>ef").select(0).type("xy").marked).toBe("xy<$S>cd<$E>ef");
    expect(open("a\n<$S>cd<$E>ef").select(2).type("xy").marked).toBe("a\nxy<$S>cd<$E>ef");
  });

  test("at the start of a line whose line end is classified, is", () => {
    expect(open("a<$S>b\n<$E>c").select(3).type("x").marked).toBe("a<$S>b\nx<$E>c");
    expect(open("a<$S>b\n<$E>").select(3).type("x").marked).toBe("a<$S>b\nx<$E>");
    expect(open("a<$S>b\n\n<$E>c").select(3).type("x").marked).toBe("a<$S>b\nx\n<$E>c");
  });

  test("between touching spans goes to the first, and they stay two", () => {
    expect(open("<$S>ab<$E><$S>cd<$E>").select(2).type("x").marked).toBe("<$S>abx<$E><$S>cd<$E>");
  });

  test("tags is typing text", () => {
    expect(open("ab").select(1).type("<$S>").marked).toBe("a<$$S>b");
    expect(open("<$S>ab<$E>").select(1).type("<$E>").marked).toBe("<$S>a<$$E>b<$E>");
  });
});

describe("typing at the start of a span is classified", () => {
  test("after arrow keys came from inside it", () => {
    const session = open("ab<$S>cd<$E>ef").select(3).moveTo(2);
    expect(typesClassified(session.state)).toBe(true);
    expect(session.type("xy").marked).toBe("ab<$S>xycd<$E>ef");
  });

  test("not after arrow keys came from before it, nor after a click", () => {
    expect(open("ab<$S>cd<$E>ef").select(1).moveTo(2).type("x").marked).toBe("abx<$S>cd<$E>ef");
    expect(open("ab<$S>cd<$E>ef").select(3).moveTo(2).select(1).moveTo(2).type("x").marked).toBe("abx<$S>cd<$E>ef");
    expect(open("ab<$S>cd<$E>ef").select(3).select(2).type("x").marked).toBe("abx<$S>cd<$E>ef");
  });

  test("after its first letters were deleted", () => {
    expect(open("ab<$S>cd<$E>ef").select(3).backspace().type("x").marked).toBe("ab<$S>xd<$E>ef");
    expect(open("ab<$S>cd<$E>ef").select(2).delete().type("x").marked).toBe("ab<$S>xd<$E>ef");
  });

  test("after all of it was deleted, until the cursor moves", () => {
    const session = open("ab<$S>cd<$E>ef").select(4).backspace().backspace();
    expect(session.marked).toBe("abef");
    expect(session.type("x").marked).toBe("ab<$S>x<$E>ef");
    expect(open("ab<$S>cd<$E>ef").select(2, 4).delete().type("x").marked).toBe("ab<$S>x<$E>ef");
    expect(open("ab<$S>cd<$E>ef").select(2, 4).delete().moveTo(1).moveTo(2).type("x").marked).toBe("abxef");
  });

  test("and lines and chunks being cut anew change nothing about that", () => {
    const session = new Session("ab\n<$S>c\nde\n<$E>".repeat(20), { chunkLines: 2, chunkLength: 10, lineLength: 2 });
    expect(session.select(3, 5).backspace().type("x").marked.startsWith("ab\n<$S>xde\n<$E>ab")).toBe(true);
  });
});

describe("typing over a selection", () => {
  test.each([
    ["that lies in a span", 3, 5, "ab<$S>cxf<$E>gh"],
    ["that is the span", 2, 6, "ab<$S>x<$E>gh"],
    ["that begins in a span", 4, 7, "ab<$S>cdx<$E>h"],
    ["that begins at the end of a span", 6, 7, "ab<$S>cdefx<$E>h"],
    ["that ends in a span", 1, 3, "ax<$S>def<$E>gh"],
    ["that covers more than a span", 1, 7, "axh"],
    ["that begins with a span and goes on", 2, 7, "abxh"],
  ])("%s", (_, from, to, expected) => {
    expect(open("ab<$S>cdef<$E>gh").select(from, to).type("x").marked).toBe(expected);
  });

  test("over several lines", () => {
    expect(open("ab\n<$S>cd\r\nef<$E>\ngh").select(4, 8).type("x").marked).toBe("ab\n<$S>cxf<$E>\ngh");
    expect(open("ab\n<$S>cd\r\nef<$E>\ngh").select(1, 8).type("x").marked).toBe("ax<$S>f<$E>\ngh");
    expect(open("ab\n<$S>cd\r\nef<$E>\r\ngh").select(5, 11).type("x").marked).toBe("ab\n<$S>cdx<$E>gh");
  });
});

describe("Enter", () => {
  test("inside a span makes a classified line end", () => {
    expect(open("ab<$S>cd<$E>").select(3).enter().marked).toBe("ab<$S>c\nd<$E>");
  });

  test("at the end of a span too, and typing goes on classified", () => {
    expect(open("ab<$S>cd<$E>ef").select(4).enter().marked).toBe("ab<$S>cd\n<$E>ef");
    expect(open("ab<$S>cd<$E>ef").select(4).enter().enter().type("x").marked).toBe("ab<$S>cd\n\nx<$E>ef");
  });

  test("at the start of a span or outside of it, a plain one", () => {
    expect(open("ab<$S>cd<$E>").select(2).enter().marked).toBe("ab\n<$S>cd<$E>");
    expect(open("ab<$S>cd<$E>").select(1).enter().marked).toBe("a\nb<$S>cd<$E>");
  });

  test("is of the kind that the document has most", () => {
    expect(open("a\r\nb\r\nc\nd").select(0).enter().marked).toBe("\r\na\r\nb\r\nc\nd");
    expect(open("a\rb").select(0).enter().marked).toBe("\ra\rb");
    expect(open("ab").select(1).enter().marked).toBe("a\nb");
  });
});

describe("Backspace and Delete", () => {
  test("join lines, and the other line ends stay what and whose they were", () => {
    expect(open("a\nb<$S>\r\n<$E>c\rd").select(2).backspace().marked).toBe("ab<$S>\r\n<$E>c\rd");
    expect(open("a\nb<$S>\r\n<$E>c\rd").select(5).backspace().marked).toBe("a\nbc\rd");
    expect(open("a\nb<$S>\r\n<$E>c\rd").select(1).delete().marked).toBe("ab<$S>\r\n<$E>c\rd");
    expect(open("a\nb<$S>\r\n<$E>c\rd").select(3).delete().marked).toBe("a\nbc\rd");
  });

  test("do nothing at the two ends", () => {
    expect(open("ab").select(0).backspace().marked).toBe("ab");
    expect(open("ab").select(2).delete().marked).toBe("ab");
  });

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

  test("that delete all of a span delete the span", () => {
    const session = open("ab<$S>c<$E>de<$S>f<$E>").select(2, 3).delete();
    expect(session.marked).toBe("abde<$S>f<$E>");
    expect(session.undo().marked).toBe("ab<$S>c<$E>de<$S>f<$E>");
  });

  test("that delete what stood between two spans leave two", () => {
    expect(open("<$S>a<$E>-<$S>b<$E>").select(1).delete().marked).toBe("<$S>a<$E><$S>b<$E>");
  });
});

describe("pasting", () => {
  test("into a span, or at its end, belongs to the span", () => {
    expect(open("ab<$S>cd<$E>").select(3).paste("x\ny").marked).toBe("ab<$S>cx\nyd<$E>");
    expect(open("ab<$S>cd<$E>ef").select(4).paste("x").marked).toBe("ab<$S>cdx<$E>ef");
  });

  test("elsewhere is plain, and tags are text", () => {
    expect(open("ab").select(1).paste("<$S>x<$E>").marked).toBe("a<$$S>x<$$E>b");
  });

  test("takes over the document's line ends", () => {
    expect(open("a\r\nb").select(4).paste("1\n2\r3\r\n4").marked).toBe("a\r\nb1\r\n2\r\n3\r\n4");
  });

  test("keeps what was classified where it was copied, as spans of its own", () => {
    const copied = open("a<$S>bc<$E><$S>d<$E>e").select(0, 5).copy();
    const session = open("<$S>x<$E> y").select(3).paste(copied);
    expect(session.marked).toBe("<$S>x<$E> ya<$S>bc<$E><$S>d<$E>e");
    expect(new Set(spanOfEach(session.state.doc)).size).toBe(4);
    expect(open("<$S>xy<$E>").select(1).paste(copied).marked).toBe("<$S>xabcdey<$E>");
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

describe("changes that did not come from us", () => {
  const raw = (marked: string) => {
    const session = open(marked);
    const at = (offset: number) => positionOf(session.state.doc, offset);
    return { session, at };
  };

  test("text put into a span without its mark is classified", () => {
    const { session, at } = raw("ab<$S>cd<$E>ef");
    session.apply(session.state.tr.insert(at(3), schema.text("x")));
    expect(session.marked).toBe("ab<$S>cxd<$E>ef");
    session.apply(session.state.tr.insert(at(5), schema.text("y")));
    expect(session.marked).toBe("ab<$S>cxdy<$E>ef");
  });

  test("the same text without its mark stays classified", () => {
    const { session, at } = raw("ab<$S>cd<$E>ef");
    session.apply(session.state.tr.replaceWith(at(1), at(5), schema.text("bcde")));
    expect(session.marked).toBe("ab<$S>cd<$E>ef");
    session.apply(session.state.tr.removeMark(at(0), at(6)));
    expect(session.marked).toBe("ab<$S>cd<$E>ef");
  });

  test("text that replaces classified text is classified", () => {
    const { session, at } = raw("ab<$S>cd<$E>ef");
    session.apply(session.state.tr.replaceWith(at(2), at(4), schema.text("xyz")));
    expect(session.marked).toBe("ab<$S>xyz<$E>ef");
  });

  test("line ends that came in as text become line ends", () => {
    const { session, at } = raw("ab<$S>cd<$E>ef");
    session.apply(session.state.tr.insertText("x\ny\r\nz", at(3)));
    expect(session.marked).toBe("ab<$S>cx\ny\r\nzd<$E>ef");
    expect(session.state.doc.child(0).childCount).toBe(3);
  });

  test("the first line has no line end before it", () => {
    const { session } = raw("ab\n<$S>cd<$E>");
    session.apply(session.state.tr.delete(1, 5));
    expect(session.marked).toBe("<$S>cd<$E>");
    expect(session.state.doc.firstChild?.firstChild?.attrs).toEqual({ before: "", beforeSpan: null });
    session.apply(session.state.tr.delete(0, session.state.doc.content.size));
    expect(session.marked).toBe("");
  });

  test("spans that come in with an id that is taken get their own", () => {
    const { session, at } = raw("<$S>ab<$E> cd");
    const taken = schema.marks.classified?.create({ id: 1 });
    session.apply(session.state.tr.insert(at(5), schema.text("x", taken ? [taken] : [])));
    expect(session.marked).toBe("<$S>ab<$E> cd<$S>x<$E>");
    expect(spanOfEach(session.state.doc)).toEqual([1, 1, null, null, null, 2]);
  });
});

test("nothing of what is classified is in the plain text", () => {
  const session = open("ab<$S>SECRET<$E>ef").select(8).enter().type("SECRET").select(5).paste("SECRET");
  expect(plainText(session.state.doc)).toBe("abef");
  expect(textOf(session.state.doc)).toBe("abSECSECRETRET\nSECRETef");
  expect(session.select(9).run(unmark).marked).toBe("abSECSECRETRET\nSECRETef");
});
