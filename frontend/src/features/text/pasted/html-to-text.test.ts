// @vitest-environment jsdom
import { expect, test } from "vitest";
import { CODE_EDITOR, EXCEL, EXCEL_CELL, FIREFOX, GOOGLE_DOCS, LIBREOFFICE, OUTLOOK, WORD } from "./clipboards.fixture";
import { htmlToText as converted, htmlToLines } from "./html-to-text";

const NOTHING = { pictures: false, colours: false, comments: false, hidden: false };

function htmlToText(html: string) {
  const found = converted(html);
  if (!found) throw new Error("it is too large");
  return found;
}

const textOf = (html: string) => htmlToText(html).text;

test("Word: titles, runs, its own lists, tables; not its pictures, colours, comments and hidden text", () => {
  const { text, leftOut } = htmlToText(WORD);
  expect(text).toBe(`# Harbour plan

## Berths

Berth\u00a03 opens on **the sixth of October**, at noon. See the list (https://harbour.example/list).

- Pilots
  - Petersen
- Tugs

In this order:

1. Moor
2. Unload

| Berth | Ship       |
| ----- | ---------- |
| 3     | Wilhelmine |`);
  expect(leftOut).toEqual({ pictures: true, colours: false, comments: true, hidden: true });
});

test("LibreOffice", () => {
  const { text, leftOut } = htmlToText(LIBREOFFICE);
  expect(text).toBe(`# Harbour

Berth 3, _every_ year².

1. Moor
2. Unload
   - Coal

| Berth | Ship       |
| ----- | ---------- |
| 3     | Wilhelmine |`);
  expect(leftOut).toEqual({ ...NOTHING, colours: true });
});

test("Google Docs: styles are emphasis, and its wrapper is none", () => {
  const { text, leftOut } = htmlToText(GOOGLE_DOCS);
  expect(text).toBe("# Harbour\n\nBerth 3 opens **at noon** ~~or one~~\n\n- Pilots\n  - Petersen\n- Tugs");
  expect(leftOut).toEqual(NOTHING);
});

test("Excel: an aligned table without hidden rows; a single cell is its text", () => {
  const { text, leftOut } = htmlToText(EXCEL);
  expect(text).toBe(`| Berth | Ship           |  Tons |
| ----: | -------------- | ----: |
|     3 | Wilhelmine\\|II | 1,200 |
|   Sum |                | 1,200 |`);
  expect(leftOut).toEqual({ ...NOTHING, hidden: true });
  expect(htmlToText(EXCEL_CELL)).toMatchObject({ text: "1,200", structured: false });
});

test("Outlook", () => {
  expect(textOf(OUTLOOK)).toBe(
    "**From:** Rosa Vogel <rosa@harbour.example>\n**Sent:** Monday\n\nDear all,\n\nNoon, as ever.",
  );
});

test("a page in Firefox: no script, no picture, links as text", () => {
  const { text, leftOut } = htmlToText(FIREFOX);
  expect(text).toBe("## Berths\n\nThe harbour (https://wiki.example/Harbour) has three `berths`.\n\n- Coal\n- Grain");
  expect(leftOut).toEqual({ ...NOTHING, pictures: true });
});

test("what has no structure is left to the plain text", () => {
  expect(htmlToText(CODE_EDITOR).structured).toBe(false);
  expect(htmlToText("<h1>One <span>heading</span></h1>")).toMatchObject({ text: "One heading", structured: false });
  expect(htmlToText("<ul><li>One item</li></ul>")).toMatchObject({ text: "One item", structured: false });
  expect(htmlToText("<p>One <b>bold</b> word</p>").structured).toBe(false);
  expect(htmlToText("<p>One</p><p>Two</p>")).toMatchObject({ text: "One\n\nTwo", structured: false });
});

test("words are not escaped, and tags are words", () => {
  expect(textOf("<p>a_b * 2 &lt;$S&gt;x&lt;$E&gt; [y] &amp;amp;</p><p># 1</p>")).toBe(
    "a_b * 2 <$S>x<$E> [y] &amp;\n\n# 1",
  );
});

test("emphasis in pieces is joined, and spaces are outside of it", () => {
  expect(textOf("<p>x</p><p><b>No</b><b><b>te:</b> </b>this <i> </i>one</p>")).toBe("x\n\n**Note:** this one");
});

test("addresses that are no addresses of pages are left out, and the others are not said twice", () => {
  expect(
    textOf(
      '<p><a href="javascript:alert(1)">a</a> <a href="#x">b</a> <a href="https://c.example/">c.example</a> ' +
        '<a href="mailto:d@e.example">D</a></p><p>f</p>',
    ),
  ).toBe("a b c.example D (d@e.example)\n\nf");
});

test("hostile HTML neither runs, nor loads, nor hangs", () => {
  expect(
    textOf('<p onclick="x()">a<iframe src="https://x.example"></iframe></p><p>b<object data=x>c</object></p>'),
  ).toBe("a\n\nb");
  expect(textOf('<table><tr><td colspan="99999999">a<td>b<tr><td>c<td>d</table>').length).toBeLessThan(2000);
});

test("too much to be converted is still lines of text", () => {
  expect(converted("<i>x</i>".repeat(30_001))).toBe(null);
  expect(converted("<ul><li>x".repeat(51))).toBe(null);
  expect(converted(`<p>${"<i>x</i>".repeat(90)}`)).not.toBe(null);
  expect(
    htmlToLines("<h1>One</h1>\n<p>Two <b>three</b></p><script>x</script><ul><li>four</li><li>five</li></ul>"),
  ).toBe("One\n\nTwo three\n\nfour\nfive");
});
