/** What people call the places of a file. Addresses are as docs/formats.md says. */
import type { Format } from "@/api/files";
import { viewOf } from "@/lib/formats";

const STORY = /^word\/(document|header|footer|footnotes|endnotes|comments)(\d*)\.xml$/;
const IN_PART = /^(.+)\/([pat])(\d+)(?:\/(deleted|hidden|code))?$/;
const BELOW: Readonly<Record<string, string>> = { deleted: "deleted text", hidden: "hidden text", code: "field code" };
const BELOW_A_CELL: Readonly<Record<string, string>> = { formula: "formula", phonetic: "how it is pronounced" };
const STORIES: Readonly<Record<string, string>> = {
  document: "Text",
  header: "Header",
  footer: "Footer",
  footnotes: "Footnotes",
  endnotes: "Endnotes",
  comments: "Comments",
};
const PDF_WORDS: Readonly<Record<string, string>> = {
  image: "Image",
  annotation: "Note",
  link: "Link",
  bookmark: "Bookmark",
  destination: "Destination",
  field: "Form field",
  script: "Script",
  structure: "Alternative text",
  attachment: "Attachment",
  layer: "Layer",
  form: "Form",
};

/** The part of an office document that an address is in: the whole address where it names a part. */
export function partOf(address: string): string {
  return IN_PART.exec(address)?.[1] ?? address;
}

/** What the part is called: "Header 1", "Text"; null if it is no part that is read as text. */
export function storyName(part: string): string | null {
  const [, story = "", number = ""] = STORY.exec(part) ?? [];
  const name = STORIES[story];
  return name === undefined ? null : number === "" ? name : `${name} ${number}`;
}

/** Where an address is, in words. */
export function whereText(format: Format, address: string): string {
  switch (viewOf(format)) {
    case "paragraphs":
      return wordWhere(address);
    case "sheets":
      return address.startsWith("sheet/") ? sheetWhere(address) : wordWhere(address);
    case "pages":
      return pdfWhere(address);
    case "bytes":
      return bytesWhere(address);
    default:
      return tableWhere(address);
  }
}

function wordWhere(address: string): string {
  const [, part = address, kind, number, below] = IN_PART.exec(address) ?? [];
  const story = storyName(part);
  const name = story ?? part;
  if (kind === undefined) return name;
  const place = kind === "p" ? `paragraph ${number}` : kind === "a" ? `attribute ${number}` : `text ${number}`;
  const there = story === "Text" ? capital(place) : `${name}, ${place}`;
  return below ? `${there}, ${BELOW[below]}` : there;
}

function sheetWhere(address: string): string {
  const [, sheet = "", cell, below] = address.split("/");
  if (cell === undefined) return `Sheet ${sheet}`;
  return below ? `${sheet}, ${cell}, ${BELOW_A_CELL[below]}` : `${sheet}, ${cell}`;
}

function pdfWhere(address: string): string {
  const page = /^page\/(\d+)(?:\/(\w+)(?:\/(\d+))?)?$/.exec(address);
  if (page) {
    const [, number, what, count] = page;
    if (what === undefined) return `Page ${number}`;
    return `${PDF_WORDS[what] ?? what}${count ? ` ${count}` : ""} on page ${number}`;
  }
  const [, what = "", rest = ""] = /^(\w+)(?:\/(.+))?$/.exec(address) ?? [];
  if (what === "info") return `Property ${rest}`;
  if (what === "xmp") return "Metadata";
  if (what === "revision") return `Earlier revision, ${rest.replace(/^\d+\//, "")}`;
  if (what === "attachment" && rest.endsWith("/content")) return `Content of attachment ${rest.split("/")[0]}`;
  return `${PDF_WORDS[what] ?? address}${PDF_WORDS[what] && rest ? ` ${rest}` : ""}`;
}

function bytesWhere(address: string): string {
  const [, from, to] = /^bytes\/(\d+)-(\d+)$/.exec(address) ?? [];
  return from === undefined ? address : `Bytes ${count(from)} to ${count(to ?? "")}`;
}

function tableWhere(address: string): string {
  if (address.startsWith("column/")) return `Column ${address.slice(7)}`;
  const [, row, column] = /^row\/(\d+)(?:\/([\s\S]*))?$/.exec(address) ?? [];
  if (row === undefined) return address;
  if (row === "0") return column === undefined ? "Header" : `Heading of ${column}`;
  return column === undefined ? `Row ${count(row)}` : `Row ${count(row)}, ${column}`;
}

function count(digits: string): string {
  return Number(digits).toLocaleString("en");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
