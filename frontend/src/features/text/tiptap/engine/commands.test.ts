import { AllSelection } from "@tiptap/pm/state";
import { describe, expect, test } from "vitest";
import { cpuMs } from "@/test/cpu";
import { isMarked, mark, markRanges, nextSpan, previousSpan, selectSpan, toggle, unmark } from "./commands";
import { findSpan, spanAt, spans } from "./queries";
import { counts, serialise } from "./serialise";
import { positionOf, Session, spanOfEach } from "./session.fixture";

const open = (marked: string) => new Session(marked);
const selected = ({ state }: Session) => {
  const { from, to } = state.selection;
  return spans(state.doc).find((span) => span.from === from && span.to === to)?.excerpt;
};

describe("marking", () => {
  test("the selection, over lines", () => {
    expect(open("abcd").select(1, 3).run(mark).marked).toBe("a<$S>bc<$E>d");
    expect(open("ab\r\ncd\nef").select(1, 8).run(mark).marked).toBe("a<$S>b\r\ncd\ne<$E>f");
    expect(open("ab\ncd").select(2, 3).run(mark).marked).toBe("ab<$S>\n<$E>cd");
  });

  test("the word at the cursor, without punctuation", () => {
    expect(open("Agent (Heron), sail!").select(9).run(mark).marked).toBe("Agent (<$S>Heron<$E>), sail!");
    expect(open("Agent Heron, sail!").select(11).run(mark).marked).toBe("Agent <$S>Heron<$E>, sail!");
    expect(open("naïve Öl").select(7).run(mark).marked).toBe("naïve <$S>Öl<$E>");
    expect(open("a ... b").select(3).run(mark).marked).toBe("a ... b");
    expect(open("").run(mark).marked).toBe("");
  });

  test("what overlaps spans makes one of them", () => {
    expect(open("a<$S>bc<$E>de<$S>fg<$E>h").select(2, 6).run(mark).marked).toBe("a<$S>bcdefg<$E>h");
    expect(open("a<$S>bc<$E>d").select(0, 4).run(mark).marked).toBe("<$S>abcd<$E>");
    expect(open("a<$S>bc<$E>d").select(3, 4).run(mark).marked).toBe("a<$S>bc<$E><$S>d<$E>");
  });

  test("takes whole characters", () => {
    expect(open("a😀b").select(2, 4).run(mark).marked).toBe("a<$S>😀b<$E>");
    expect(open("xe\u0301y").select(2, 3).run(mark).marked).toBe("x<$S>e\u0301<$E>y");
    expect(open("x👩‍🚀y").select(0, 3).run(mark).marked).toBe("<$S>x👩‍🚀<$E>y");
    expect(open("e<$S>\u0301<$E>y").select(0, 1).run(mark).marked).toBe("<$S>e\u0301<$E>y");
  });

  test("everything, and undo", () => {
    const session = open("ab\n<$S>cd<$E>\nef");
    session.apply(session.state.tr.setSelection(new AllSelection(session.state.doc))).run(mark);
    expect(session.marked).toBe("<$S>ab\ncd\nef<$E>");
    expect(session.undo().marked).toBe("ab\n<$S>cd<$E>\nef");
    expect(session.redo().marked).toBe("<$S>ab\ncd\nef<$E>");
  });

  test("many places in one step to undo", () => {
    const session = open("Heron and <$S>Her<$E>on, Heron\nHeron");
    const at = (offset: number) => positionOf(session.state.doc, offset);
    session.run(
      markRanges(
        [20, 0, 26, 10].map((offset) => ({
          from: at(offset - (offset > 10 ? 3 : 0)),
          to: at(offset + 5 - (offset > 10 ? 3 : 0)),
        })),
      ),
    );
    expect(session.marked).toBe("<$S>Heron<$E> and <$S>Heron<$E>, <$S>Heron<$E>\n<$S>Heron<$E>");
    expect(new Set(spanOfEach(session.state.doc)).size).toBe(5);
    expect(session.undo().marked).toBe("Heron and <$S>Her<$E>on, Heron\nHeron");
  });

  test("what is marked is refused", () => {
    expect(mark(open("<$S>abc<$E>").select(1, 2).state)).toBe(false);
  });
});

describe("unmarking", () => {
  test("the span at the cursor, also at its ends", () => {
    for (const at of [1, 2, 3]) expect(open("a<$S>bc<$E>d").select(at).run(unmark).marked).toBe("abcd");
    expect(open("<$S>ab<$E><$S>cd<$E>").select(2).run(unmark).marked).toBe("ab<$S>cd<$E>");
    expect(unmark(open("a<$S>bc<$E>d").select(0).state)).toBe(false);
  });

  test("the middle of a span leaves two", () => {
    const session = open("a<$S>bcd<$E>e").select(2, 3).run(unmark);
    expect(session.marked).toBe("a<$S>b<$E>c<$S>d<$E>e");
    expect(spanOfEach(session.state.doc)).toEqual([null, 1, null, 2, null]);
    expect(session.undo().marked).toBe("a<$S>bcd<$E>e");
    expect(spanOfEach(session.state.doc)).toEqual([null, 1, 1, 1, null]);
  });

  test("over several spans and lines", () => {
    const marked = "<$S>ab<$E>c\n<$S>d\ne<$E><$S>f\n<$E>g";
    expect(open(marked).select(1, 8).run(unmark).marked).toBe("<$S>a<$E>bc\nd\nef<$S>\n<$E>g");
    expect(open(marked).select(1, 8).run(unmark).undo().marked).toBe(marked);
  });

  test("takes no character that is not wholly selected", () => {
    expect(open("<$S>ae\u0301b<$E>").select(2, 4).run(unmark).marked).toBe("<$S>ae\u0301<$E>b");
  });
});

test("toggling", () => {
  const session = open("ab cd").select(1).run(toggle);
  expect(session.marked).toBe("<$S>ab<$E> cd");
  expect(isMarked(session.state)).toBe(true);
  expect(session.run(toggle).marked).toBe("ab cd");
  expect(open("<$S>ab<$E> cd").select(0, 4).run(toggle).marked).toBe("<$S>ab c<$E>d");
});

test("going from span to span", () => {
  const session = open("<$S>a<$E> b <$S>c<$E><$S>d<$E>\n<$S>e<$E>").select(0);
  expect(Array.from({ length: 5 }, () => selected(session.run(nextSpan)))).toEqual(["a", "c", "d", "e", "a"]);
  expect(Array.from({ length: 3 }, () => selected(session.run(previousSpan)))).toEqual(["e", "d", "c"]);
  expect(selected(session.select(5).run(previousSpan))).toBe("c");
  const span = spans(session.state.doc)[3];
  expect(selected(session.run(selectSpan(span?.id ?? 0)))).toBe("e");
  expect(nextSpan(open("a").state)).toBe(false);
});

test("the list of spans", () => {
  const { doc } = open("é\r\n<$S>one\ntwo  three<$E>\n\n<$S>\n😀<$E>").state;
  expect(spans(doc).map(({ excerpt, line, bytes }) => ({ excerpt, line, bytes }))).toEqual([
    { excerpt: "one two three", line: 2, bytes: 14 },
    { excerpt: "😀", line: 5, bytes: 5 },
  ]);
  const [first] = spans(doc);
  expect(first && spanAt(doc, first.from)?.id).toBe(first?.id);
  expect(first && spanAt(doc, first.to)?.id).toBe(first?.id);
  expect(findSpan(doc, 99)).toBe(null);
  expect(counts(doc)).toEqual({ documentBytes: 25, classifiedBytes: 19, plainBytes: 6, proportion: 19 / 25, spans: 2 });
});

test("an excerpt is short and cuts no character", () => {
  const [span] = spans(open(`<$S>${"😀 ".repeat(300)}<$E>`).state.doc);
  expect(span?.excerpt.length).toBeLessThanOrEqual(81);
  expect(span?.excerpt).toMatch(/^(😀 )+😀…$/u);
});

test("a megabyte is marked and unmarked in one go", () => {
  const line = "Lorem ipsum dolor sit amet, <$S>consectetur<$E> adipiscing elit, sed do eiusmod.\n";
  const session = open(line.repeat(Math.ceil(1_000_000 / line.length)));
  const before = session.marked;
  session.apply(session.state.tr.setSelection(new AllSelection(session.state.doc)));
  expect(cpuMs(() => session.run(mark))).toBeLessThan(5000);
  expect(spans(session.state.doc)).toHaveLength(1);
  session.undo();
  expect(serialise(session.state.doc)).toBe(before);
});

test("thousands of places are marked in one go", () => {
  const session = open("the convoy leaves at dawn\n".repeat(8000));
  const ranges = Array.from({ length: 8000 }, (_, line) => {
    const from = positionOf(session.state.doc, 0) + line * 27 + Math.floor(line / 50) * 2 + 4;
    return { from, to: from + 6 };
  });
  expect(cpuMs(() => session.run(markRanges(ranges)))).toBeLessThan(5000);
  expect(session.marked).toBe("the <$S>convoy<$E> leaves at dawn\n".repeat(8000));
  expect(session.undo().marked).toBe("the convoy leaves at dawn\n".repeat(8000));
});
