/**
 * A Markdown text as a tree to draw, with its classified spans. Pure.
 *
 * Invariant: every character that is drawn is classified if any character of the source that it comes from is. HTML is
 * drawn as the text that it is, and nothing of a document is fetched: links and images are words.
 */
import type { Definition, Nodes, Parents, PhrasingContent, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import { MARKER } from "@/api/catalogue";
import { countBefore } from "@/lib/binary-search";
import type { MarkedDocument, TextSpan } from "@/marked-text/markup";

/**
 * A run of text. `span`: the index of the span that it belongs to, -1 for plain text. `continues`: an earlier run is of
 * the same span.
 */
export interface Piece {
  readonly text: string;
  readonly span: number;
  readonly continues: boolean;
}

export type Align = "left" | "right" | "center" | null;

/** A node to draw. `at`: where it begins in the source, which is its key. */
export type View = { readonly at: number } & (
  | { readonly is: "text"; readonly pieces: readonly Piece[]; readonly style: "plain" | "code" | "quiet" }
  | { readonly is: "emphasis" | "strong" | "delete" | "link" | "paragraph" | "quote"; readonly of: readonly View[] }
  | { readonly is: "heading"; readonly depth: number; readonly of: readonly View[] }
  | { readonly is: "list"; readonly start: number | null; readonly of: readonly (readonly View[])[] }
  | { readonly is: "code"; readonly info: readonly Piece[]; readonly pieces: readonly Piece[] }
  | { readonly is: "table"; readonly align: readonly Align[]; readonly rows: readonly (readonly (readonly View[])[])[] }
  | { readonly is: "break" | "rule" }
);

export interface MarkdownView {
  readonly views: readonly View[];
  /** The number of classified spans. */
  readonly spans: number;
  /** How many of them are only in the source, because Markdown does not show what they cover. */
  readonly unseen: number;
}

/** `gaps`: the document's spans are empty, and show where text was withheld. */
export function markdownView({ text, spans }: MarkedDocument, gaps: boolean): MarkdownView {
  const source = sourceOf(text, spans, gaps);
  const root = fromMarkdown(source.text, {
    extensions: [gfmTable(), gfmStrikethrough()],
    mdastExtensions: [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown()],
  });
  const drawing = new Drawing(source.text, source.spans);
  const views = drawing.all(root.children);
  return { views, spans: source.spans.length, unseen: source.spans.length - drawing.seen.size };
}

/** The text without a byte order mark, and with a marker in each gap. */
function sourceOf(text: string, spans: readonly TextSpan[], gaps: boolean): MarkedDocument {
  const bom = text.startsWith("\uFEFF") ? 1 : 0;
  if (!gaps) {
    const shown = spans.map(({ from, to }) => ({ from: Math.max(0, from - bom), to: Math.max(0, to - bom) }));
    return { text: text.slice(bom), spans: shown.filter(({ from, to }) => from < to) };
  }
  const parts: string[] = [];
  const marked: TextSpan[] = [];
  let at = bom;
  let length = 0;
  for (const { from } of spans) {
    const plain = text.slice(at, Math.max(at, from));
    parts.push(plain, MARKER);
    length += plain.length;
    marked.push({ from: length, to: length + MARKER.length });
    length += MARKER.length;
    at = Math.max(at, from);
  }
  parts.push(text.slice(at));
  return { text: parts.join(""), spans: marked };
}

class Drawing {
  readonly seen = new Set<number>();
  readonly #source: string;
  readonly #spans: readonly TextSpan[];

  constructor(source: string, spans: readonly TextSpan[]) {
    this.#source = source;
    this.#spans = spans;
  }

  all(nodes: readonly (RootContent | PhrasingContent)[]): View[] {
    return nodes.flatMap((node) => this.#view(node));
  }

  #view(node: RootContent): View[] {
    const { at, end } = placeOf(node);
    switch (node.type) {
      case "text":
        return [{ is: "text", at, style: "plain", pieces: this.#mapped(node.value, at, end, false) }];
      case "inlineCode": {
        const fence = /^`+/.exec(this.#source.slice(at, end))?.[0].length ?? 0;
        return [{ is: "text", at, style: "code", pieces: this.#mapped(node.value, at + fence, end - fence) }];
      }
      case "html":
        return [{ is: "text", at, style: "code", pieces: this.#mapped(node.value, at, end) }];
      case "code": {
        const fenced = /^(`{3,}|~{3,})/.test(this.#source.slice(at, end));
        const line = this.#source.indexOf("\n", at);
        const body = fenced && line >= 0 && line < end ? line + 1 : at;
        const info = [node.lang, node.meta].filter(Boolean).join(" ");
        return [{ is: "code", at, info: this.#near(info, at, body), pieces: this.#mapped(node.value, body, end) }];
      }
      case "definition":
        return [this.#definition(node)];
      case "link": {
        const last = node.children.at(-1);
        const inside = last ? placeOf(last).end : at;
        const of = this.all(node.children);
        const said = wordsOf(node);
        const isSame = said === node.url || `mailto:${said}` === node.url;
        const url = isSame ? [] : this.#near(` (${node.url})`, inside, end);
        return [
          { is: "link", at, of },
          ...(isSame ? [] : [{ is: "text", at: end, style: "quiet", pieces: url } as const]),
        ];
      }
      case "image":
        return [
          {
            is: "text",
            at,
            style: "quiet",
            pieces: this.#near(`[Image: ${node.alt || node.url}] (${node.url})`, at, end),
          },
        ];
      case "imageReference":
        return [{ is: "text", at, style: "quiet", pieces: this.#near(`[Image: ${node.alt ?? ""}]`, at, end) }];
      case "linkReference":
        return [{ is: "link", at, of: this.all(node.children) }];
      case "emphasis":
      case "strong":
      case "delete":
      case "paragraph":
        return [{ is: node.type, at, of: this.all(node.children) }];
      case "blockquote":
        return [{ is: "quote", at, of: this.all(node.children) }];
      case "heading":
        return [{ is: "heading", at, depth: node.depth, of: this.all(node.children) }];
      case "list": {
        const start = node.ordered ? (node.start ?? 1) : null;
        return [{ is: "list", at, start, of: node.children.map(({ children }) => this.all(children)) }];
      }
      case "table": {
        const rows = node.children.map(({ children }) => children.map((cell) => this.all(cell.children)));
        return [{ is: "table", at, align: node.align ?? [], rows }];
      }
      case "break":
        return [{ is: "break", at }];
      case "thematicBreak":
        return [{ is: "rule", at }];
      default:
        return [{ is: "text", at, style: "code", pieces: this.#exact(at, end) }];
    }
  }

  #definition(node: Definition): View {
    const { at, end } = placeOf(node);
    return { is: "paragraph", at, of: [{ is: "text", at, style: "quiet", pieces: this.#exact(at, end) }] };
  }

  /** The source itself. */
  #exact(at: number, end: number): Piece[] {
    return this.#mapped(this.#source.slice(at, end), at, end);
  }

  /** A text that comes from somewhere in this part of the source: classified if any of it is. */
  #near(text: string, at: number, end: number): Piece[] {
    const span = this.#spanIn(at, end);
    if (span < 0) return plain(text);
    const pieces: Piece[] = [];
    const isWithheld = text.includes(MARKER);
    // Of withheld text only the markers are drawn as such.
    for (const [index, part] of text.split(MARKER).entries()) {
      if (index > 0) pieces.push({ text: MARKER, span: span + index - 1, continues: false });
      if (part !== "") pieces.push({ text: part, span: isWithheld ? -1 : span, continues: this.seen.has(span) });
    }
    for (let index = span; (this.#spans[index]?.from ?? end) < end; index++) this.seen.add(index);
    return pieces;
  }

  /** The text of a node, each character with the span of the source that it comes from. */
  #mapped(value: string, at: number, end: number, isCode = true): Piece[] {
    if (this.#spanIn(at, end) < 0) return plain(value);
    const ends = sourceEnds(value, this.#source, at, end, isCode);
    const pieces: { text: string; span: number; continues: boolean }[] = [];
    let from = at;
    for (let index = 0; index < value.length; index++) {
      const to = ends?.[index] ?? end;
      const span = this.#spanIn(ends ? from : at, to);
      const last = pieces.at(-1);
      if (last && last.span === span) last.text += value[index];
      else pieces.push({ text: value[index] ?? "", span, continues: this.seen.has(span) });
      if (span >= 0) this.seen.add(span);
      from = to;
    }
    return pieces;
  }

  /** The index of the first span with a character between these places; -1 if there is none. */
  #spanIn(at: number, end: number): number {
    const index = countBefore(this.#spans.length, (one) => (this.#spans[one]?.to ?? 0) <= at);
    const span = this.#spans[index];
    return span && span.from < end ? index : -1;
  }
}

function plain(text: string): Piece[] {
  return text === "" ? [] : [{ text, span: -1, continues: false }];
}

/**
 * Where in the source each character of a node's text ends. It begins where the one before ends, so that escapes and the
 * signs before a line belong to the next character. Null if the text is not in the source. `isCode`: the text has no
 * character references.
 */
function sourceEnds(value: string, source: string, at: number, end: number, isCode: boolean): number[] | null {
  const ends: number[] = [];
  let place = at;
  for (let index = 0; index < value.length; ) {
    if (place >= end) return null;
    const [reference, meant] = isCode ? NO_REFERENCE : referenceAt(source, place);
    if (reference > 0 && value.startsWith(meant, index)) {
      place += reference;
      for (let one = 0; one < meant.length; one++) ends.push(place);
      index += meant.length;
      continue;
    }
    const isLineEnd = source[place] === "\n" || source[place] === "\r";
    if (source[place] === value[index] || (isLineEnd && value[index] === " ")) {
      place += isLineEnd && value[index] === " " && source.startsWith("\r\n", place) ? 2 : 1;
      ends.push(place);
      index += 1;
    } else {
      place += 1;
    }
  }
  return ends;
}

const NO_REFERENCE = [0, ""] as const;

/** The length of the character reference at this place, such as `&amp;`, and what it stands for; 0 if there is none. */
function referenceAt(source: string, place: number): readonly [number, string] {
  if (source[place] !== "&") return NO_REFERENCE;
  const found = /^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z0-9]{1,31});/.exec(source.slice(place, place + 40))?.[0];
  if (found === undefined) return NO_REFERENCE;
  const [paragraph] = fromMarkdown(found).children;
  const [text] = paragraph?.type === "paragraph" ? paragraph.children : [];
  return text?.type === "text" && text.value !== found ? [found.length, text.value] : NO_REFERENCE;
}

function placeOf(node: Nodes): { at: number; end: number } {
  return { at: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

function wordsOf(node: Parents): string {
  return node.children
    .map((child) => ("children" in child ? wordsOf(child) : "value" in child ? child.value : ""))
    .join("");
}
