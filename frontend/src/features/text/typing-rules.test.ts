/** The rules of `marked-text/typing-rules.ts`: one table of cases, which both text engines pass. */
import { describe, expect, test } from "vitest";
import type { Segment } from "@/marked-text/markup";
import { LongSession } from "./long/engine/session.fixture";
import { Session } from "./tiptap/engine/session.fixture";
import type { TypingSession } from "./typing-session.fixture";

/** What the author does to the marked text `before`, and what it is then. */
type Case = readonly [name: string, before: string, does: (author: TypingSession) => unknown, after: string];

const BEFORE = "ab<$S>cd<$E>ef";
const COPIED: readonly Segment[] = [
  { text: "a", classified: false },
  { text: "bc", classified: true },
  { text: "d", classified: true },
  { text: "e", classified: false },
];

const CASES: Record<string, readonly Case[]> = {
  typing: [
    ["inside a span", BEFORE, (a) => a.select(3).type("xy"), "ab<$S>cxyd<$E>ef"],
    ["at the end of a span", BEFORE, (a) => a.select(4).type("xy"), "ab<$S>cdxy<$E>ef"],
    ["at the start of a span", BEFORE, (a) => a.select(2).type("xy"), "abxy<$S>cd<$E>ef"],
    ["at the start of the text", "<$S>cd<$E>ef", (a) => a.select(0).type("xy"), "xy<$S>cd<$E>ef"],
    ["at the start of a line", "a\n<$S>cd<$E>ef", (a) => a.select(2).type("xy"), "a\nxy<$S>cd<$E>ef"],
    ["after a classified line end", "a<$S>b\n<$E>c", (a) => a.select(3).type("x"), "a<$S>b\nx<$E>c"],
    ["after a classified line end at the end", "a<$S>b\n<$E>", (a) => a.select(3).type("x"), "a<$S>b\nx<$E>"],
    ["between classified line ends", "a<$S>b\n\n<$E>c", (a) => a.select(3).type("x"), "a<$S>b\nx\n<$E>c"],
    ["between spans that touch", "<$S>ab<$E><$S>cd<$E>", (a) => a.select(2).type("x"), "<$S>abx<$E><$S>cd<$E>"],
    ["a tag", "ab", (a) => a.select(1).type("<$S>"), "a<$$S>b"],
    ["a tag in a span", "<$S>ab<$E>", (a) => a.select(1).type("<$E>"), "<$S>a<$$E>b<$E>"],
  ],
  "typing at a span's start, reached by keys": [
    ["from inside", BEFORE, (a) => a.select(3).moveTo(2).type("xy"), "ab<$S>xycd<$E>ef"],
    ["from its end", BEFORE, (a) => a.select(4).moveTo(2).type("x"), "ab<$S>xcd<$E>ef"],
    ["from inside, over a line end", "a<$S>\r\nb<$E>", (a) => a.select(3).moveTo(1).type("x"), "a<$S>x\r\nb<$E>"],
    ["at the start of the text", "<$S>cd<$E>ef", (a) => a.select(1).moveTo(0).type("x"), "<$S>xcd<$E>ef"],
    ["from a selection inside", BEFORE, (a) => a.select(3, 4).moveTo(2).type("x"), "ab<$S>xcd<$E>ef"],
    [
      "from a span that touches",
      "-<$S>ab<$E><$S>cd<$E>",
      (a) => a.select(4).moveTo(1).type("x"),
      "-<$S>xab<$E><$S>cd<$E>",
    ],
    ["from before it", BEFORE, (a) => a.select(1).moveTo(2).type("x"), "abx<$S>cd<$E>ef"],
    ["from behind it", BEFORE, (a) => a.select(6).moveTo(2).type("x"), "abx<$S>cd<$E>ef"],
    [
      "from inside, away and back",
      BEFORE,
      (a) => a.select(3).moveTo(2).moveTo(1).moveTo(2).type("x"),
      "abx<$S>cd<$E>ef",
    ],
    ["from inside, then a click there", BEFORE, (a) => a.select(3).moveTo(2).select(2).type("x"), "abx<$S>cd<$E>ef"],
    ["from inside, then Enter", BEFORE, (a) => a.select(3).moveTo(2).enter(), "ab<$S>\ncd<$E>ef"],
    ["from inside, then a paste", BEFORE, (a) => a.select(3).moveTo(2).paste("x"), "ab<$S>xcd<$E>ef"],
  ],
  "typing where text was deleted": [
    ["the first letter of a span, backwards", BEFORE, (a) => a.select(3).backspace().type("x"), "ab<$S>xd<$E>ef"],
    ["the first letter of a span, forwards", BEFORE, (a) => a.select(2).delete().type("x"), "ab<$S>xd<$E>ef"],
    [
      "all of a span, letter by letter",
      BEFORE,
      (a) => a.select(4).backspace().backspace().type("xy"),
      "ab<$S>xy<$E>ef",
    ],
    ["all of a span, selected", BEFORE, (a) => a.select(2, 4).delete().type("x"), "ab<$S>x<$E>ef"],
    ["all of the text", "<$S>cd<$E>", (a) => a.select(0, 2).backspace().type("x"), "<$S>x<$E>"],
    ["all of two spans that touch", "-<$S>a<$E><$S>b<$E>", (a) => a.select(1, 3).delete().type("x"), "-<$S>x<$E>"],
    [
      "all of a span before another",
      "-<$S>a<$E><$S>b<$E>",
      (a) => a.select(1).delete().type("x"),
      "-<$S>x<$E><$S>b<$E>",
    ],
    ["a classified line end", "a<$S>\r\n<$E>b", (a) => a.select(3).backspace().type("x"), "a<$S>x<$E>b"],
    ["a span, then a plain letter", BEFORE, (a) => a.select(2, 4).delete().backspace().type("x"), "axef"],
    ["a span and a plain letter", BEFORE, (a) => a.select(2, 5).delete().type("x"), "abxf"],
    ["the plain letter before a span", BEFORE, (a) => a.select(2).backspace().type("x"), "ax<$S>cd<$E>ef"],
    [
      "all of a span, then away and back",
      BEFORE,
      (a) => a.select(2, 4).delete().moveTo(1).moveTo(2).type("x"),
      "abxef",
    ],
    ["all of a span, then a click", BEFORE, (a) => a.select(2, 4).delete().select(2).type("x"), "abxef"],
    ["all of a span, then a paste", BEFORE, (a) => a.select(2, 4).delete().paste("x\ny"), "ab<$S>x\ny<$E>ef"],
    ["all of a span, then Enter", BEFORE, (a) => a.select(2, 4).delete().enter().type("x"), "ab<$S>\nx<$E>ef"],
  ],
  "typing over a selection": [
    ["in a span", "ab<$S>cdef<$E>gh", (a) => a.select(3, 5).type("xy"), "ab<$S>cxyf<$E>gh"],
    ["that is a span", BEFORE, (a) => a.select(2, 4).type("xy"), "ab<$S>xy<$E>ef"],
    ["that is two spans", "-<$S>a<$E><$S>b<$E>c", (a) => a.select(1, 3).type("x"), "-<$S>x<$E>c"],
    [
      "that is a span and a part of one",
      "-<$S>a<$E><$S>bc<$E>",
      (a) => a.select(1, 3).type("x"),
      "-<$S>x<$E><$S>c<$E>",
    ],
    ["that begins in a span", "ab<$S>cdef<$E>gh", (a) => a.select(4, 7).type("x"), "ab<$S>cdx<$E>h"],
    ["that begins at the end of a span", BEFORE, (a) => a.select(4, 5).type("x"), "ab<$S>cdx<$E>f"],
    [
      "that begins in a span and ends in another",
      "<$S>ab<$E>-<$S>cd<$E>",
      (a) => a.select(1, 4).type("x"),
      "<$S>ax<$E><$S>d<$E>",
    ],
    ["that ends in a span", BEFORE, (a) => a.select(1, 3).type("x"), "ax<$S>d<$E>ef"],
    ["that covers more than a span", BEFORE, (a) => a.select(1, 5).type("x"), "axf"],
    ["that begins with a span and goes on", BEFORE, (a) => a.select(2, 5).type("x"), "abxf"],
    ["that is two spans and a letter between", "<$S>a<$E>-<$S>b<$E>", (a) => a.select(0, 3).type("x"), "x"],
    ["over lines of a span", "ab\n<$S>cd\r\nef<$E>\ngh", (a) => a.select(4, 8).type("x"), "ab\n<$S>cxf<$E>\ngh"],
    ["over lines, ending in a span", "ab\n<$S>cd\r\nef<$E>\ngh", (a) => a.select(1, 8).type("x"), "ax<$S>f<$E>\ngh"],
    [
      "over lines, beginning in a span",
      "ab\n<$S>cd\nef<$E>\r\ngh",
      (a) => a.select(5, 10).type("x"),
      "ab\n<$S>cdx<$E>gh",
    ],
  ],
  Enter: [
    ["inside a span", "ab<$S>cd<$E>", (a) => a.select(3).enter(), "ab<$S>c\nd<$E>"],
    ["at the end of a span", BEFORE, (a) => a.select(4).enter().enter().type("x"), "ab<$S>cd\n\nx<$E>ef"],
    ["at the start of a span", "ab<$S>cd<$E>", (a) => a.select(2).enter(), "ab\n<$S>cd<$E>"],
    ["in plain text", "ab<$S>cd<$E>", (a) => a.select(1).enter(), "a\nb<$S>cd<$E>"],
    ["where CR LF is most frequent", "a\r\nb\r\nc\nd", (a) => a.select(0).enter(), "\r\na\r\nb\r\nc\nd"],
    ["where CR is most frequent", "a\rb", (a) => a.select(0).enter(), "\ra\rb"],
  ],
  "Backspace and Delete": [
    ["before a line end", "a\nb<$S>\r\n<$E>c\rd", (a) => a.select(1).delete(), "ab<$S>\r\n<$E>c\rd"],
    ["after a line end", "a\nb<$S>\r\n<$E>c\rd", (a) => a.select(2).backspace(), "ab<$S>\r\n<$E>c\rd"],
    ["before a classified line end", "a\nb<$S>\r\n<$E>c\rd", (a) => a.select(3).delete(), "a\nbc\rd"],
    ["after a classified line end", "a\nb<$S>\r\n<$E>c\rd", (a) => a.select(5).backspace(), "a\nbc\rd"],
    ["at the start of the text", "ab", (a) => a.select(0).backspace(), "ab"],
    ["at the end of the text", "ab", (a) => a.select(2).delete(), "ab"],
    ["all of a span", "ab<$S>c<$E>de<$S>f<$E>", (a) => a.select(2, 3).delete(), "abde<$S>f<$E>"],
    ["all text between two spans", "<$S>a<$E>-<$S>b<$E>", (a) => a.select(1).delete(), "<$S>a<$E><$S>b<$E>"],
  ],
  pasting: [
    ["into a span", "ab<$S>cd<$E>", (a) => a.select(3).paste("x\ny"), "ab<$S>cx\nyd<$E>"],
    ["at the end of a span", BEFORE, (a) => a.select(4).paste("x"), "ab<$S>cdx<$E>ef"],
    ["at the start of a span", BEFORE, (a) => a.select(2).paste("x"), "abx<$S>cd<$E>ef"],
    ["over a span", BEFORE, (a) => a.select(2, 4).paste("x"), "ab<$S>x<$E>ef"],
    ["tags", "ab", (a) => a.select(1).paste("<$S>x<$E>"), "a<$$S>x<$$E>b"],
    ["other line ends", "a\r\nb", (a) => a.select(4).paste("1\n2\r3\r\n4"), "a\r\nb1\r\n2\r\n3\r\n4"],
    [
      "classified text into plain text",
      "<$S>x<$E> y",
      (a) => a.select(3).paste([...COPIED]),
      "<$S>x<$E> ya<$S>bc<$E><$S>d<$E>e",
    ],
    ["classified text into a span", "<$S>xy<$E>", (a) => a.select(1).paste([...COPIED]), "<$S>xabcdey<$E>"],
    ["classified text over a span", "-<$S>xy<$E>-", (a) => a.select(1, 3).paste([...COPIED]), "-<$S>abcde<$E>-"],
    [
      "classified text over a span and more",
      "<$S>xy<$E>-",
      (a) => a.select(0, 3).paste([...COPIED]),
      "a<$S>bc<$E><$S>d<$E>e",
    ],
    ["what was cut", BEFORE, (a) => cutTo(1, a.select(3, 5)), "a<$S>d<$E>eb<$S>c<$E>f"],
  ],
  "composing with an input method": [
    ["inside a span", BEFORE, (a) => compose(a.select(3)), "ab<$S>cかd<$E>ef"],
    ["at the end of a span", BEFORE, (a) => compose(a.select(4)), "ab<$S>cdか<$E>ef"],
    ["at the start of a span", BEFORE, (a) => compose(a.select(2)), "abか<$S>cd<$E>ef"],
    ["at the start of a span, from inside", BEFORE, (a) => compose(a.select(3).moveTo(2)), "ab<$S>かcd<$E>ef"],
    ["where all of a span was deleted", BEFORE, (a) => compose(a.select(2, 4).delete()), "ab<$S>か<$E>ef"],
    ["after a classified line end", "a<$S>b\n<$E>", (a) => compose(a.select(3)), "a<$S>b\nか<$E>"],
    ["over a span", BEFORE, (a) => compose(a.select(2, 4)), "ab<$S>か<$E>ef"],
    ["over the start of a span", BEFORE, (a) => compose(a.select(1, 3)), "aか<$S>d<$E>ef"],
    [
      "and giving up, where a span was deleted",
      BEFORE,
      (a) => a.select(2, 4).delete().compose("k").compose("").type("x"),
      "ab<$S>x<$E>ef",
    ],
  ],
  "undo and redo": [
    ["of typing", BEFORE, (a) => a.select(4).type("x").undo(), BEFORE],
    ["of a deleted span", BEFORE, (a) => a.select(2, 4).delete().undo(), BEFORE],
    ["of what was typed for it", BEFORE, (a) => a.select(2, 4).delete().type("x").undo().redo(), "ab<$S>x<$E>ef"],
    ["of all of that", BEFORE, (a) => a.select(2, 4).delete().type("x").undo().undo(), BEFORE],
    ["of two spans that touch", "<$S>ab<$E><$S>cd<$E>", (a) => a.select(0, 4).delete().undo(), "<$S>ab<$E><$S>cd<$E>"],
    ["of text over a span and more", BEFORE, (a) => a.select(2, 5).type("x").undo(), BEFORE],
    ["of what was typed before a span", BEFORE, (a) => a.select(3).moveTo(2).type("x").undo(), BEFORE],
    ["and typing where a deletion was redone", BEFORE, (a) => a.select(2, 4).delete().undo().redo().type("x"), "abxef"],
  ],
};

function compose(author: TypingSession): void {
  for (const shown of ["k", "ka", "か"]) author.compose(shown);
}

function cutTo(offset: number, author: TypingSession): void {
  const copied = author.copy();
  author.backspace().select(offset).paste(copied);
}

describe.each([
  ["the engine of shorter texts", (marked: string): TypingSession => new Session(marked)],
  ["the engine of long texts", (marked: string): TypingSession => new LongSession(marked)],
])("in %s", (_, open) => {
  for (const [title, cases] of Object.entries(CASES)) {
    test.each(cases)(`${title}: %s`, (_name, before, does, after) => {
      const author = open(before);
      does(author);
      expect(author.marked).toBe(after);
    });
  }

  test("the status says whether typing here is classified", () => {
    const says = (author: TypingSession) => author.typesClassified;
    expect([2, 3, 4, 5].map((at) => says(open(BEFORE).select(at)))).toEqual([false, true, true, false]);
    expect(says(open(BEFORE).select(3).moveTo(2))).toBe(true);
    expect(says(open(BEFORE).select(3).moveTo(2).select(2))).toBe(false);
    expect(says(open(BEFORE).select(2, 4).delete())).toBe(true);
    expect(says(open(BEFORE).select(2, 4))).toBe(true);
    expect(says(open(BEFORE).select(2, 5))).toBe(false);
    expect(says(open(BEFORE).select(1, 3))).toBe(false);
  });
});
