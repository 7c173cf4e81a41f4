/** What people call the places of a file. Addresses are as docs/formats.md says. */
import { t } from "@lingui/core/macro";
import type { Format } from "@/api/files";
import { isPicture, viewOf } from "@/api/formats";
import { numberText } from "@/lib/numbers";

const STORY = /^word\/(document|header|footer|footnotes|endnotes|comments)(\d*)\.xml$/;
/** A web page's own text, the text of a mail, what is attached to it, and a file in an archive. */
const TEXT = /^(?:body\/(\d+)\/)?text$/;
const ATTACHED = /^((attachment|file)\/(\d+))(?:\/(.+))?$/s;
const HEADER_FIELD = /^header\/([^/]+)(?:\/\d+)?$/;
const FILE_NAME = /^(?:attachment|file)\/\d+\/name$/;
const IN_PART = /^(.+)\/([pat])(\d+)(?:\/(deleted|hidden|code))?$/;
const BELOW: Readonly<Record<string, string>> = {
  deleted: t`deleted text`,
  hidden: t`hidden text`,
  code: t`field code`,
};
const BELOW_A_CELL: Readonly<Record<string, string>> = {
  formula: t`formula`,
  phonetic: t`how it is pronounced`,
  comment: t`comment`,
};
export const STORIES = {
  document: t`Text`,
  header: t`Header`,
  footer: t`Footer`,
  footnotes: t`Footnotes`,
  endnotes: t`Endnotes`,
  comments: t`Comments`,
} as const;
const BESIDE_THE_TEXT: Readonly<Record<string, string>> = {
  comment: t`Comment`,
  script: t`Script`,
  style: t`Style sheet`,
  markup: t`Other markup`,
  title: t`Title of the page`,
  property: t`Property`,
  bookmark: t`Bookmark`,
  author: t`Name of an author`,
  numbering: t`Numbering`,
  variable: t`Document variable`,
  description: t`Description`,
  link: t`Link`,
  formula: t`Formula`,
  picture: t`Picture`,
  object: t`Embedded object`,
};
/** A slide, its notes or its comments, and what slides inherit from. */
const SLIDE = /^slide\/(\d+)(?:\/(notes|comments))?$/;
const LAYOUT = /^ppt\/(slideLayouts|slideMasters|notesMasters|handoutMasters)\/[^/]+$/;
/** The parts of OpenDocument files, and of RTF documents beside their text, that are read as text. */
const OTHER_STORIES: Readonly<Record<string, string>> = {
  "content.xml": STORIES.document,
  "styles.xml": t`Headers and footers`,
  headers: t`Headers and footers`,
  footnotes: STORIES.footnotes,
  endnotes: STORIES.endnotes,
  comments: STORIES.comments,
};
const AREA = /^page\/(\d+)\/area\/(.+)$/;
const PDF_WORDS: Readonly<Record<string, string>> = {
  image: t`Image`,
  annotation: t`Note`,
  link: t`Link`,
  bookmark: t`Bookmark`,
  destination: t`Destination`,
  field: t`Form field`,
  script: t`Script`,
  structure: t`Alternative text`,
  attachment: t`Attachment`,
  layer: t`Layer`,
  unseen: t`Text that not every reader shows`,
  appearance: t`What notes look like`,
  form: t`Form`,
};

/** The part of an office document that an address is in: the whole address where it names a part. */
export function partOf(address: string): string {
  if (HEADER_FIELD.test(address)) return "header";
  return ATTACHED.exec(address)?.[1] ?? IN_PART.exec(address)?.[1] ?? address;
}

/** What the part is called: "Header 1", "Text"; null if it is no part that is read as text. */
export function storyName(part: string): string | null {
  if (part === "title") return t`Title of the page`;
  if (part === "header") return t`Message header`;
  const held = ATTACHED.exec(part);
  if (held !== null) return heldName(held[2] ?? "", held[3] ?? "");
  const [, slide, beside] = SLIDE.exec(part) ?? [];
  if (slide !== undefined) {
    if (beside === undefined) return t`Slide ${slide}`;
    return beside === "notes" ? t`Notes of slide ${slide}` : t`Comments on slide ${slide}`;
  }
  const text = TEXT.exec(part);
  if (text !== null) return (text[1] ?? "1") === "1" ? STORIES.document : `${STORIES.document} ${text[1]}`;
  const [, story, number] = STORY.exec(part) ?? [];
  if (story === undefined) return OTHER_STORIES[part] ?? null;
  const name = STORIES[story as keyof typeof STORIES];
  return number ? `${name} ${number}` : name;
}

/** Whether a part is what slides inherit from: a layout or a master. */
export function isLayout(part: string): boolean {
  return LAYOUT.test(part);
}

/** Where an address is, in words. */
export function whereText(format: Format, address: string): string {
  switch (viewOf(format)) {
    case "paragraphs":
      return wordWhere(address);
    case "sheets":
      return address.startsWith("sheet/") ? sheetWhere(address) : wordWhere(address);
    case "pages":
      return isPicture(format) ? pictureWhere(format, address) : pdfWhere(address);
    case "bytes":
      return bytesWhere(address);
    default:
      return tableWhere(address);
  }
}

/** Whether readers need the name of a place to understand its text: a field of a mail, the name of a file. */
export function isNamed(address: string): boolean {
  return HEADER_FIELD.test(address) || FILE_NAME.test(address);
}

function wordWhere(address: string): string {
  const [, , container = "", holder = "", inside] = ATTACHED.exec(address) ?? [];
  if (inside !== undefined) return heldPlace(container, holder, attachedWhere(inside));
  const [, headerField] = HEADER_FIELD.exec(address) ?? [];
  if (headerField !== undefined) return headerField;
  const [, beside = "", count] = /^(?:body\/\d+\/)?([a-z]+)(?:\/(\d+))?$/.exec(address) ?? [];
  const thing = BESIDE_THE_TEXT[beside];
  if (thing !== undefined) return count ? `${thing} ${count}` : thing;
  const [, part = address, kind, number = "", below] = IN_PART.exec(address) ?? [];
  const story = storyName(part);
  const name = story ?? (isLayout(part) ? layoutName(part) : part);
  if (kind === undefined) return name;
  const place = kind === "p" ? t`paragraph ${number}` : kind === "a" ? t`attribute ${number}` : t`text ${number}`;
  const there = story === STORIES.document ? capital(place) : `${name}, ${place}`;
  return below ? `${there}, ${BELOW[below]}` : there;
}

/** "File 3", "Attachment 1". */
function heldName(container: string, number: string): string {
  return container === "file" ? t`File ${number}` : t`Attachment ${number}`;
}

/** "File 3: Page 2". */
function heldPlace(container: string, number: string, place: string): string {
  return container === "file" ? t`File ${number}: ${place}` : t`Attachment ${number}: ${place}`;
}

/** "Layout 3", "Master 1". */
function layoutName(part: string): string {
  const number = /(\d*)\.xml$/.exec(part)?.[1] ?? "";
  if (part.startsWith("ppt/slideLayouts/")) return t`Layout ${number}`;
  if (part.startsWith("ppt/slideMasters/")) return t`Master ${number}`;
  return part.startsWith("ppt/notesMasters/") ? t`Master of notes` : t`Master of handouts`;
}

/** A place in an attachment, whose format its address shows. */
function attachedWhere(address: string): string {
  if (address === "name") return t`file name`;
  if (/^(?:row|column)\//.test(address)) return tableWhere(address);
  if (address.startsWith("sheet/")) return sheetWhere(address);
  return /^(?:page|info|bookmark)\//.test(address) ? pdfWhere(address) : wordWhere(address);
}

function sheetWhere(address: string): string {
  const [, sheet = "", cell, below] = address.split("/");
  if (cell === undefined) return t`Sheet ${sheet}`;
  return below ? `${sheet}, ${cell}, ${BELOW_A_CELL[below]}` : `${sheet}, ${cell}`;
}

function pdfWhere(address: string): string {
  const [, onPage = "", area] = AREA.exec(address) ?? [];
  if (area !== undefined) return t`Area ${area} on page ${{ page: onPage }}`;
  const page = /^page\/(\d+)(?:\/(\w+)(?:\/(\d+))?)?$/.exec(address);
  if (page) {
    const [, number = "", what, count] = page;
    if (what === undefined) return t`Page ${number}`;
    const thing = named(what, count);
    return t`${thing} on page ${number}`;
  }
  const [, what = "", rest = ""] = /^(\w+)(?:\/(.+))?$/.exec(address) ?? [];
  if (what === "info") return t`Property ${rest}`;
  if (what === "xmp") return t`Metadata`;
  if (what === "revision") return t`Earlier revision, ${{ address: rest.replace(/^\d+\//, "") }}`;
  if (what === "attachment" && rest.endsWith("/content")) {
    const [number = ""] = rest.split("/");
    return t`Content of attachment ${number}`;
  }
  return PDF_WORDS[what] === undefined ? address : named(what, rest);
}

function pictureWhere(format: Format, address: string): string {
  if (!address.startsWith("page/")) return t`Data about the picture`;
  if (format === "tiff") return pdfWhere(address);
  const [, , area] = AREA.exec(address) ?? [];
  return area === undefined ? t`The picture` : t`Area ${area}`;
}

/** "Note 3", "Form". */
function named(what: string, number: string | undefined): string {
  const word = PDF_WORDS[what] ?? what;
  return number ? `${word} ${number}` : word;
}

function bytesWhere(address: string): string {
  const [, from, to] = /^bytes\/(\d+)-(\d+)$/.exec(address) ?? [];
  return from === undefined ? address : t`Bytes ${{ from: count(from) }} to ${{ to: count(to ?? "") }}`;
}

function tableWhere(address: string): string {
  if (address.startsWith("column/")) return t`Column ${{ name: address.slice(7) }}`;
  const [, row, column] = /^row\/(\d+)(?:\/([\s\S]*))?$/.exec(address) ?? [];
  if (row === undefined) return address;
  if (row === "0") return column === undefined ? t`Header` : t`Heading of ${column}`;
  return column === undefined ? t`Row ${{ row: count(row) }}` : t`Row ${{ row: count(row) }}, ${column}`;
}

function count(digits: string): string {
  return numberText(Number(digits));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
