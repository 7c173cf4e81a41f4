import { expect, test } from "vitest";
import type { Edge, Unit } from "@/marked-text/edge-steps";
import { edgeMovedTo, fitSpan, growSpan, moveEdge, shrinkSpan } from "./edges";
import { spans } from "./queries";
import { positionOf, Session } from "./session.fixture";

const MARKED = "The pilot <$S>Ida<$E> Berg, of Alpha.";
const grow = (session: Session, unit: Unit = "word") => session.run(growSpan(unit)).marked;
const shrink = (session: Session, unit: Unit = "word") => session.run(shrinkSpan(unit)).marked;

test("the edge that is nearer to the cursor moves, and the cursor with it", () => {
  const end = new Session(MARKED).select(12);
  expect(grow(end)).toBe("The pilot <$S>Ida Berg<$E>, of Alpha.");
  expect(grow(end)).toBe("The pilot <$S>Ida Berg, of<$E> Alpha.");
  expect(shrink(end)).toBe("The pilot <$S>Ida Berg<$E>, of Alpha.");
  expect(grow(end, "character")).toBe("The pilot <$S>Ida Berg,<$E> of Alpha.");
  expect(shrink(end, "character")).toBe("The pilot <$S>Ida Berg<$E>, of Alpha.");
  const start = new Session(MARKED).select(10);
  expect(grow(start)).toBe("The <$S>pilot Ida<$E> Berg, of Alpha.");
  expect(grow(start)).toBe("<$S>The pilot Ida<$E> Berg, of Alpha.");
  expect(shrink(start)).toBe("The <$S>pilot Ida<$E> Berg, of Alpha.");
  expect(shrink(start, "character")).toBe("The p<$S>ilot Ida<$E> Berg, of Alpha.");
  expect(start.undo().marked).toBe("The <$S>pilot Ida<$E> Berg, of Alpha.");
});

test("with a selection, the edge at its moving end", () => {
  expect(grow(new Session(MARKED).select(10, 13))).toBe("The pilot <$S>Ida Berg<$E>, of Alpha.");
  expect(grow(new Session(MARKED).select(13, 10))).toBe("The <$S>pilot Ida<$E> Berg, of Alpha.");
});

test("something is left, and nothing moves where there is no span, or no more text", () => {
  expect(shrink(new Session(MARKED).select(13))).toBe(MARKED);
  expect(grow(new Session(MARKED).select(2))).toBe(MARKED);
  expect(grow(new Session("<$S>all<$E>").select(3))).toBe("<$S>all<$E>");
  expect(shrink(new Session("<$S>é<$E>").select(1), "character")).toBe("<$S>é<$E>");
});

test("a span that is reached becomes one with it; lines and characters of several parts are taken whole", () => {
  expect(grow(new Session("<$S>a<$E> <$S>b c<$E>").select(1))).toBe("<$S>a b c<$E>");
  expect(grow(new Session("<$S>a<$E>\r\nb").select(1), "character")).toBe("<$S>a\r\n<$E>b");
  expect(grow(new Session("<$S>a<$E>👩‍🚀b").select(1), "character")).toBe("<$S>a👩‍🚀<$E>b");
});

test("a span is made to fit the selection", () => {
  expect(new Session("a <$S>b c d<$E> e").select(4, 5).run(fitSpan).marked).toBe("a b <$S>c<$E> d e");
  expect(new Session("a <$S>b c d<$E> e").select(6, 9).run(fitSpan).marked).toBe("a b c <$S>d e<$E>");
  const session = new Session("a <$S>b<$E> <$S>c<$E>");
  expect(fitSpan(session.select(0, 5).state)).toBe(false);
  expect(fitSpan(session.select(2, 3).state)).toBe(false);
  expect(fitSpan(session.select(0, 1).state)).toBe(false);
});

/** Drags an edge of the span with this number to before the character at `offset`. */
function drag(marked: string, index: number, edge: Edge, offset: number): Session {
  const session = new Session(marked);
  const { doc } = session.state;
  return session.run(moveEdge(spans(doc)[index]?.id ?? 0, edge, positionOf(doc, offset)));
}

test("an edge is moved to a place and the cursor with it, as one step to undo", () => {
  const out = drag(MARKED, 0, "end", 18);
  expect(out.marked).toBe("The pilot <$S>Ida Berg<$E>, of Alpha.");
  expect(out.type("!").marked).toBe("The pilot <$S>Ida Berg!<$E>, of Alpha.");
  expect(out.undo().undo().marked).toBe(MARKED);
  expect(drag(MARKED, 0, "end", 11).marked).toBe("The pilot <$S>I<$E>da Berg, of Alpha.");
  expect(drag(MARKED, 0, "start", 4).marked).toBe("The <$S>pilot Ida<$E> Berg, of Alpha.");
  expect(drag(MARKED, 0, "start", 13).marked).toBe("The pilot Id<$S>a<$E> Berg, of Alpha.");
});

test("it stops at the spans beside it, cuts no character, and something is left", () => {
  const three = "<$S>a<$E> bc <$S>de<$E> fg <$S>h<$E>";
  expect(drag(three, 1, "start", 0).marked).toBe("<$S>a<$E><$S> bc de<$E> fg <$S>h<$E>");
  expect(drag(three, 1, "end", 11).marked).toBe("<$S>a<$E> bc <$S>de fg <$E><$S>h<$E>");
  expect(drag(three, 1, "start", 11).marked).toBe("<$S>a<$E> bc d<$S>e<$E> fg <$S>h<$E>");
  expect(drag(three, 1, "end", 0).marked).toBe("<$S>a<$E> bc <$S>d<$E>e fg <$S>h<$E>");
  expect(drag("<$S>a<$E>\u{1F469}\u200d\u{1F680}b", 0, "end", 4).marked).toBe("<$S>a<$E>\u{1F469}\u200d\u{1F680}b");
  expect(drag("<$S>a\r\nb<$E>", 0, "start", 3).marked).toBe("a\r\n<$S>b<$E>");
});

test("what a drag would come to is what it comes to", () => {
  const text = "a <$S>b\r\nc<$E> \u00e9\u0301 <$S>d<$E>\ne";
  const before = new Session(text).state.doc;
  for (const edge of ["start", "end"] as const) {
    for (let offset = 0; offset <= 13; offset++) {
      const id = spans(before)[0]?.id ?? 0;
      const told = edgeMovedTo(before, id, edge, positionOf(before, offset));
      const after = spans(drag(text, 0, edge, offset).state.doc).find((span) => span.id === id);
      expect({ edge, offset, ...told }).toEqual({ edge, offset, from: after?.from, to: after?.to });
    }
  }
  expect(edgeMovedTo(before, 99, "end", 3)).toBe(null);
});
