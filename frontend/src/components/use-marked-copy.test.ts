// @vitest-environment jsdom
import { expect, test } from "vitest";
import { segmentsOf } from "./use-marked-copy";

function copied(html: string): ReturnType<typeof segmentsOf> {
  const root = document.createElement("div");
  root.append(document.createRange().createContextualFragment(html));
  const range = document.createRange();
  range.selectNodeContents(root);
  return segmentsOf(range);
}

test("marked text stays classified", () => {
  expect(copied("<p>Ask <mark class='classified'>Tom Reed</mark> now</p>")).toEqual([
    { text: "Ask ", classified: false },
    { text: "Tom Reed", classified: true },
    { text: " now", classified: false },
  ]);
});

test("marked words of a PDF page stay classified, and so does all of a page that is marked whole", () => {
  const words = "<span>Ask </span><span class='pdf-marked'>Tom </span><span class='pdf-marked'>Reed</span>";
  expect(copied(`<div class="pdf-page"><div class="pdf-words">${words}</div></div>`)).toEqual([
    { text: "Ask ", classified: false },
    { text: "Tom Reed", classified: true },
  ]);
  expect(copied(`<div class="pdf-page" data-own="true">${words}</div>`)).toEqual([
    { text: "Ask Tom Reed", classified: true },
  ]);
});

test("a word within a marked word of a PDF page stays classified", () => {
  const root = document.createElement("div");
  const word = document.createElement("span");
  word.className = "pdf-marked";
  word.textContent = "Reed";
  root.append(word);
  const range = document.createRange();
  range.setStart(word.firstChild as Text, 1);
  range.setEnd(word.firstChild as Text, 3);
  expect(segmentsOf(range)).toEqual([{ text: "ee", classified: true }]);
});

test("what is withheld is copied as its marker, and what only screen readers hear is not", () => {
  expect(copied("<p><span class='sr-only'>Withheld:</span><span class='withheld'>bar</span></p>")).toEqual([
    { text: "█████", classified: false },
  ]);
});
