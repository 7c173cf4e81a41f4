import { test } from "vitest";
import { LINE_LENGTH } from "./build";
import { load } from "./load";
import { partsOf } from "./schema/schema";
import { Session, schema, textOf } from "./session.fixture";

function shape(d: any) {
  return d.children
    .map((c: any) =>
      c.children
        .map((l: any) => JSON.stringify(l.attrs.before) + (l.attrs.beforeSpan ?? "") + ":" + l.content.size)
        .join(" ")
        .slice(0, 150),
    )
    .slice(0, 8);
}
test("dbg", () => {
  const { chunk, doc } = partsOf(schema);
  const start = doc.create(
    null,
    chunk.create(
      null,
      load("line <$S>one\nline<$E> two\r\n".repeat(200), schema).children.flatMap((c) => c.children),
    ),
  );
  const s = new Session(start);
  const texts = [textOf(start)];
  const docs = [s.state.doc];
  for (const does of ["long", "long", "paste", "backspace"]) {
    s.select(0, 3000);
    if (does === "long") s.paste("x".repeat(2 * LINE_LENGTH));
    if (does === "paste") s.paste("many\nlines\n".repeat(150));
    if (does === "backspace") s.backspace();
    texts.push(textOf(s.state.doc));
    docs.push(s.state.doc);
    console.log(does, shape(s.state.doc));
  }
  s.rebalance();
  console.log("reb", shape(s.state.doc), textOf(s.state.doc) === texts[4]);
  for (let i = 3; i >= 0; i--) {
    s.undo();
    console.log(
      "undo",
      i,
      textOf(s.state.doc) === texts[i],
      shape(s.state.doc),
      textOf(s.state.doc).length,
      texts[i]?.length,
    );
    s.rebalance();
    console.log("reb", textOf(s.state.doc) === texts[i], shape(s.state.doc));
  }
});
