// @vitest-environment node
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "@/marked-text/markup";
import { markdownView, type Piece, type View } from "./markdown-view";

const viewOf = (marked: string, gaps = false) => markdownView(parse(marked), gaps);

/** All pieces, in order. */
function piecesOf(views: readonly View[]): Piece[] {
  return views.flatMap((view): Piece[] => {
    if (view.is === "text") return [...view.pieces];
    if (view.is === "code") return [...view.info, ...view.pieces];
    if (view.is === "list") return view.of.flatMap(piecesOf);
    if (view.is === "table") return view.rows.flatMap((row) => row.flatMap(piecesOf));
    return "of" in view ? piecesOf(view.of) : [];
  });
}

const classified = (marked: string) =>
  piecesOf(viewOf(marked).views)
    .filter(({ span }) => span >= 0)
    .map(({ text }) => text)
    .join("|");

describe("classified spans", () => {
  it.each([
    ["plain <$S>Ada<$E> text", "Ada"],
    ["a *very <$S>big* ship<$E>", "big| ship"],
    ["**<$S>bold<$E>** and `co<$S>de<$E>`", "bold|de"],
    ["| who | pay |\n|---|--:|\n| Ada | <$S>12<$E> |\n", "12"],
    ["> one\n> t<$S>w<$E>o", "w"],
    ["one \\* t<$S>w<$E>o", "w"],
    ["one &amp; t<$S>w<$E>o &copy; th<$S>re<$E>e", "w|re"],
    ["x <$S>\\*<$E> y", "*"],
    ["x <$S>&amp;<$E> y", "&"],
    ["> `a &amp;\n> b<$S>c<$E>` d", "c"],
    ["```sh\nls <$S>secret<$E>\n```", "secret"],
    ["    in<$S>dent<$E>ed", "dent"],
    ["1. one\n2. <$S>two<$E>\n   more", "two"],
    ["see [the <$S>plan<$E>](http://x.test)", "plan"],
    ["see [the plan](http://x.test/<$S>secret<$E>)", " (http://x.test/secret)"],
    ["![a map](<$S>north<$E>.png)", "[Image: a map] (north.png)"],
    ["<b><$S>x<$E></b>", "x"],
    ["a\r\nb<$S>c<$E>d", "c"],
    ["\uFEFF# T<$S>it<$E>le", "it"],
    ["[a]: http://<$S>x<$E>.test", "x"],
  ])("%j shows %j as classified", (marked, expected) => {
    expect(classified(marked)).toBe(expected);
    expect(viewOf(marked).unseen).toBe(0);
  });

  it("says how many are only in the source", () => {
    expect(viewOf("| a | b |\n|<$S>---<$E>|---|\n| 1 | 2 |").unseen).toBe(1);
  });

  it("never draws as plain a letter that is classified in the source", () => {
    const words = fc.constantFrom(
      "plain ",
      "*em* ",
      "**b** ",
      "`c` ",
      "&amp; ",
      "\\_ ",
      "\n> q\n\n",
      "\n- i\n",
      "\n|a|b|\n|-|-|\n|c|d|\n",
      "[l](u) ",
      "\n```\nz\n```\n",
      "\r\n",
      "~~s~~ ",
    );
    const secrets = fc.constantFrom("X", "XX", "X X", "*X*", "X\nX", "`X`", "|X|");
    fc.assert(
      fc.property(fc.array(fc.tuple(words, fc.option(secrets)), { maxLength: 8 }), (parts) => {
        const marked = parts.map(([word, secret]) => word + (secret === null ? "" : `<$S>${secret}<$E>`)).join("");
        const plain = piecesOf(viewOf(marked).views).filter(({ span }) => span < 0);
        expect(plain.map(({ text }) => text).join("")).not.toContain("X");
      }),
      { numRuns: 200 },
    );
  });
});

it("shows where text was withheld, even in a table or an address", () => {
  const shown = (marked: string) =>
    piecesOf(viewOf(marked, true).views)
      .map(({ text, span }) => (span >= 0 ? "[]" : text))
      .join("");
  expect(shown("to *<$S><$E>* and | no")).toBe("to [] and | no");
  expect(shown("| who |\n|---|\n| <$S><$E> |")).toBe("who[]");
  expect(shown("[plan](http://<$S><$E>/x)")).toBe("plan (http://[]/x)");
});

it("draws no HTML, no image and no address that can be followed", () => {
  const { views } = viewOf("<script>alert(1)</script>\n\n<img src=x>\n\n![i](http://x.test/i.png)");
  expect(views.flatMap((view) => piecesOf([view])).map(({ text }) => text)).toEqual([
    "<script>alert(1)</script>",
    "<img src=x>",
    "[Image: i] (http://x.test/i.png)",
  ]);
});
