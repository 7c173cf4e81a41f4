import { expect, test } from "vitest";
import type { Unit } from "./edge-steps";
import { fitSpan, growSpan, shrinkSpan } from "./edges";
import { Session } from "./session.fixture";

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
