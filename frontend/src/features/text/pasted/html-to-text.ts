/** Converts HTML from a clipboard to text: headings and lists as in Markdown, tables as aligned Markdown tables. */
import type { Element, Nodes as HtmlNodes } from "hast";
import { fromDom } from "hast-util-from-dom";
import { type Handle as ElementHandler, toMdast } from "hast-util-to-mdast";
import type { Nodes, Parents, PhrasingContent, Root, Table } from "mdast";
import { gfmStrikethroughToMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableToMarkdown } from "mdast-util-gfm-table";
import { type Handle, type Options, toMarkdown } from "mdast-util-to-markdown";
import { toString as textOf } from "mdast-util-to-string";
import { cleanHtml, type LeftOut } from "./clean-html";

export interface ConvertedText {
  readonly text: string;
  /** Whether it is several blocks with headings, lists, tables, links or emphasis. Otherwise plain text says as much. */
  readonly structured: boolean;
  readonly leftOut: LeftOut;
}

/** Cells up to this length are padded, so that the columns are aligned. */
const MOST_ALIGNED = 60;

/** What is converted without a noticeable pause: some 100 pages of Word, or 5,000 rows of four cells. */
const MOST_ELEMENTS = 20_000;
const MOST_DEPTH = 100;

/**
 * The content of HTML as text; null if it has too many elements, or they are nested too deeply.
 *
 * It is parsed into a document of its own, in which no script runs and nothing is fetched.
 */
export function htmlToText(html: string): ConvertedText | null {
  if (hasMany(html, "<", 3 * MOST_ELEMENTS)) return null;
  const { body } = inertDocument(html);
  if (isTooLarge(body)) return null;
  const leftOut = cleanHtml(body);
  const root = asRoot(
    toMdast(fromDom(body) as HtmlNodes, {
      handlers: HANDLERS,
      nodeHandlers: { comment: () => undefined },
      document: true,
    }),
  );
  tidy(root);
  const [only] = root.children;
  const loose = root.children.length === 1 && only ? looseBlock(only) : null;
  const shown = loose ? { ...root, children: loose } : root;
  const structured = !loose && hasStructure(root);
  const text = toMarkdown(shown, markdownOptions(shown)).replace(/\n$/, "");
  return { text, structured, leftOut };
}

/** Asked before it is parsed, because parsing takes long where very many elements are nested. */
function hasMany(text: string, part: string, most: number): boolean {
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) if (++found > most) return true;
  return false;
}

function isTooLarge(body: HTMLElement): boolean {
  let elements = 0;
  let depth = 0;
  const walker = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_ELEMENT);
  for (;;) {
    if (walker.firstChild()) depth++;
    else {
      while (!walker.nextSibling()) {
        if (!walker.parentNode()) return false;
        depth--;
      }
    }
    if (++elements > MOST_ELEMENTS || depth > MOST_DEPTH) return true;
  }
}

/** The lines of HTML without anything else, for more of it than can be converted at once. */
export function htmlToLines(html: string): string {
  const { body } = inertDocument(html.replace(/<(?:br|li|\/(?:p|div|ul|ol|tr|h[1-6]))\b/gi, "\n$&"));
  for (const one of body.querySelectorAll("script,style,template")) one.remove();
  return (body.textContent ?? "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Browsers with Trusted Types parse only what a policy of the page has passed. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (html: string) => string }): { createHTML(html: string): string };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy("pasted-html", { createHTML: (html) => html });

function inertDocument(html: string): Document {
  return new DOMParser().parseFromString(policy?.createHTML(html) ?? html, "text/html");
}

const asChildren: ElementHandler = (state, node: Element) => state.all(node);

const HANDLERS: Record<string, ElementHandler> = {
  ...Object.fromEntries(["u", "mark", "kbd", "samp", "var", "tt", "cite"].map((name) => [name, asChildren])),
  // The caption of a table is above it.
  caption: () => undefined,
  input: () => undefined,
};

function asRoot(tree: Nodes): Root {
  return tree.type === "root" ? tree : { type: "root", children: [tree] as Root["children"] };
}

type Emphasis = Extract<PhrasingContent, { type: "strong" | "emphasis" | "delete" }>;

const isEmphasis = (node: Nodes): node is Emphasis =>
  node.type === "strong" || node.type === "emphasis" || node.type === "delete";

/** Joins what programs cut into pieces, and removes what is empty or says nothing. */
function tidy(parent: Parents, within: ReadonlySet<string> = new Set()): void {
  if (parent.type === "table") dropEmptyHead(parent);
  const children: Nodes[] = [];
  for (const child of parent.children as Nodes[]) {
    if ("children" in child) {
      const isHead = parent.type === "table" && child === parent.children[0];
      const bold = child.type === "heading" || isHead ? ["strong"] : [];
      tidy(child, new Set([...within, ...bold, ...(isEmphasis(child) ? [child.type] : [])]));
    }
    const before = children.at(-1);
    if (isEmphasis(child) && within.has(child.type)) children.push(...child.children);
    else if (isEmpty(child)) continue;
    else if (isEmphasis(child) && before?.type === child.type) before.children.push(...child.children);
    else if (child.type === "text" && before?.type === "text") before.value += child.value;
    else children.push(child);
  }
  parent.children = children as typeof parent.children;
  if (parent.type === "list" || parent.type === "listItem") parent.spread = false;
}

/** Cells stay, so that those after them keep their columns. */
function isEmpty(node: Nodes): boolean {
  return "children" in node && node.type !== "tableCell" && node.type !== "tableRow" && node.children.every(isBlank);
}

function isBlank(node: Nodes): boolean {
  return node.type === "break" || (node.type === "text" && node.value.trim() === "");
}

/** The converter puts an empty head over a table without one. */
function dropEmptyHead(table: Table): void {
  const first = table.children.findIndex((row) => textOf(row).trim() !== "");
  table.children = first < 0 ? [] : table.children.slice(first);
}

/** The words of a single block, which is usually a part of one. Null if it needs its form. */
function looseBlock(block: Root["children"][number]): Root["children"] | null {
  if (block.type === "heading" || block.type === "paragraph") return [{ ...block, type: "paragraph" }];
  if (block.type === "list" && block.children.length === 1) return block.children[0]?.children ?? null;
  if (block.type !== "table" || block.children.some((row) => row.children.length > 1)) return null;
  // A column, or a single cell.
  const lines = block.children.flatMap((row) => [...(row.children[0]?.children ?? []), { type: "break" as const }]);
  return [{ type: "paragraph", children: lines.slice(0, -1) }];
}

const SAYS_MORE = new Set(["heading", "list", "table", "blockquote", "link", "strong", "emphasis", "delete"]);

function hasStructure(node: Nodes): boolean {
  return SAYS_MORE.has(node.type) || ("children" in node && (node.children as Nodes[]).some(hasStructure));
}

function markdownOptions(root: Root): Options {
  const aligned = longestCell(root) <= MOST_ALIGNED;
  return {
    bullet: "-",
    bulletOther: "*",
    listItemIndent: "one",
    rule: "-",
    extensions: [gfmTableToMarkdown({ tablePipeAlign: aligned }), gfmStrikethroughToMarkdown()],
    handlers: {
      // The words themselves, without the escapes of Markdown: the text is read as text, too.
      text: (node, _, state) => {
        const value = node.value.replace(/\s*\n\s*/g, " ");
        return state.stack.includes("tableCell") ? value.replaceAll("|", "\\|") : value;
      },
      break: (_, _1, state) => (state.stack.includes("tableCell") || state.stack.includes("headingAtx") ? " " : "\n"),
      strong: around("**"),
      emphasis: around("_"),
      delete: around("~~"),
      inlineCode: (node, _, state) => {
        const value = `\`${node.value}\``;
        return state.stack.includes("tableCell") ? value.replaceAll("|", "\\|") : value;
      },
      link: (node, _, state, info) => withAddress(state.containerPhrasing(node, info), node.url),
    } satisfies Record<string, Handle>,
  };
}

/** Spaces at the edges are outside the signs, where Markdown requires them. */
function around(sign: string): Handle {
  return (node, _, state, info) => {
    const [, before = "", words = "", after = ""] =
      /^(\s*)(.*?)(\s*)$/s.exec(state.containerPhrasing(node, info)) ?? [];
    return words ? `${before}${sign}${words}${sign}${after}` : before + after;
  };
}

/** The words of a link, and its address if they do not say it. */
function withAddress(words: string, url: string): string {
  if (!/^(?:https?|mailto):/i.test(url)) return words;
  const address = url.replace(/^mailto:/i, "");
  const bare = (one: string) =>
    one
      .trim()
      .replace(/^https?:\/\//i, "")
      .replace(/\/$/, "")
      .toLowerCase();
  return bare(words) === bare(address) ? words : `${words} (${address})`;
}

function longestCell(node: Nodes): number {
  if (node.type === "tableCell") return textOf(node).length;
  let longest = 0;
  if ("children" in node) for (const child of node.children) longest = Math.max(longest, longestCell(child));
  return longest;
}
