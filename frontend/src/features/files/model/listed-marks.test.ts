// @vitest-environment node
import { expect, it } from "vitest";
import { listed } from "./listed-marks";
import { marked, whole } from "./marks";
import { partOf, storyName, whereText } from "./place-names";

it("lists rows and cells that follow one another as one", () => {
  const marks = marked([], ["row/9", "row/10", "row/11", "row/13", "column/pay", "row/13/pay"].map(whole));
  expect(listed("csv", marks, () => null).map(({ where, marks }) => [where, marks.length])).toEqual([
    ["Column pay", 1],
    ["Rows 9 to 11", 3],
    ["Row 13", 1],
    ["Row 13, pay", 1],
  ]);
  const cells = marked([], ["sheet/Pay/B9", "sheet/Pay/B10", "sheet/Pay/C11"].map(whole));
  expect(listed("xlsx", cells, () => null).map(({ where }) => where)).toEqual(["Pay, B9 to 10", "Pay, C11"]);
});

it("shows the text there", () => {
  const text = "Berth 3 𝄞 opens\non Monday";
  const marks = marked([], [{ address: "page/1", start: 8, end: 18 }]);
  expect(listed("pdf", marks, () => text)[0]).toMatchObject({ excerpt: "𝄞 opens on", where: "Page 1" });
});

it("shows what cells below each other say if all say the same", () => {
  const cells = marked([], ["sheet/Pay/B9", "sheet/Pay/B10", "sheet/Pay/C11", "sheet/Pay/C12"].map(whole));
  const textAt = (address: string) => (address.includes("B") ? "Tom Reed" : address);
  expect(listed("xlsx", cells, textAt).map(({ excerpt }) => excerpt)).toEqual(["Tom Reed", ""]);
});

it.each([
  ["docx", "word/document.xml/p12", "Paragraph 12"],
  ["docx", "word/document.xml/p12/deleted", "Paragraph 12, deleted text"],
  ["docx", "word/header2.xml", "Header 2"],
  ["docx", "word/comments.xml/p1", "Comments, paragraph 1"],
  ["odt", "content.xml/p12", "Paragraph 12"],
  ["odt", "content.xml/p12/hidden", "Paragraph 12, hidden text"],
  ["odt", "styles.xml/p1", "Headers and footers, paragraph 1"],
  ["docx", "docProps/core.xml/t2", "docProps/core.xml, text 2"],
  ["zip", "file/3/name", "File 3: file name"],
  ["zip", "file/3/page/2", "File 3: Page 2"],
  ["zip", "file/3", "File 3"],
  ["zip", "file/3/text", "File 3: Text"],
  ["eml", "attachment/3/page/2", "Attachment 3: Page 2"],
  ["pptx", "slide/3/p2", "Slide 3, paragraph 2"],
  ["pptx", "slide/3", "Slide 3"],
  ["pptx", "slide/3/a1", "Slide 3, attribute 1"],
  ["pptx", "slide/12/notes/p1", "Notes of slide 12, paragraph 1"],
  ["pptx", "slide/3/comments/p1", "Comments on slide 3, paragraph 1"],
  ["pptx", "ppt/slideLayouts/slideLayout4.xml/p2", "Layout 4, paragraph 2"],
  ["pptx", "ppt/notesMasters/notesMaster1.xml/p1", "Master of notes, paragraph 1"],
  ["ods", "sheet/Pay/B17/comment", "Pay, B17, comment"],
  ["xlsx", "sheet/Pay", "Sheet Pay"],
  ["xlsx", "sheet/Pay/B17/formula", "Pay, B17, formula"],
  ["xlsx", "sheet/Pay/B17/phonetic", "Pay, B17, how it is pronounced"],
  ["pdf", "page/3/image/1", "Image 1 on page 3"],
  ["pdf", "page/3/unseen", "Text that not every reader shows on page 3"],
  ["pdf", "info/Title", "Property Title"],
  ["pdf", "attachment/1/content", "Content of attachment 1"],
  ["csv", "row/0/pay", "Heading of pay"],
  ["csv", "row/1200/a/b", "Row 1,200, a/b"],
  ["bytes", "bytes/100-2000", "Bytes 100 to 2,000"],
] as const)("%s: %s is %s", (format, address, words) => {
  expect(whereText(format, address)).toBe(words);
});

it("knows the part of an address", () => {
  expect(partOf("word/document.xml/p12/deleted")).toBe("word/document.xml");
  expect(partOf("word/media/image1.png")).toBe("word/media/image1.png");
  expect(partOf("slide/3/notes/p1")).toBe("slide/3/notes");
  expect(storyName("word/footnotes.xml")).toBe("Footnotes");
  expect(storyName("docProps/core.xml")).toBeNull();
});
