import { describe, expect, test } from "vitest";
import { positionOf, Session, schema, spanOfEach } from "./session.fixture";

describe("changes by the browser or another extension", () => {
  const raw = (marked: string) => {
    const session = new Session(marked);
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
