/**
 * Prepares HTML from a clipboard for its conversion to text: what Word, LibreOffice, Google Docs, Excel and browsers
 * write becomes plain elements, and what a text cannot hold is removed.
 */

/** What was removed that its author saw, or had hidden. */
export interface LeftOut {
  pictures: boolean;
  colours: boolean;
  comments: boolean;
  hidden: boolean;
}

const PICTURES = "img,picture,svg,canvas,video,audio,object,embed,iframe,map,v\\:shape,v\\:imagedata";
const NEVER_TEXT = "script,style,template,noscript,title,meta,link,head,xml,select,textarea,button,datalist,dialog";
/** Word writes comments beside the text, and references to them into it. */
const COMMENTS = '[style*="mso-element:comment"],.MsoCommentReference,.msocomoff,.msocomanchor';
const HIDDEN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)/i;
const BACKGROUND = /(?:^|;)\s*(?:background(?:-color)?|mso-highlight)\s*:\s*([^;]+)/i;
const COLOUR = /(?:^|;)\s*color\s*:\s*([^;]+)/i;
const NO_BACKGROUND =
  /^(?:transparent|none|inherit|initial|auto|white|#fff(?:fff)?|rgb\(255, ?255, ?255\)|rgba\(0, ?0, ?0, ?0\))/i;
const BOLD = /(?:^|;)\s*font-weight\s*:\s*(?:bold|[6-9]00)/i;
const NOT_BOLD = /(?:^|;)\s*font-weight\s*:\s*(?:normal|[1-5]00)/i;
const ITALIC = /(?:^|;)\s*font-style\s*:\s*italic/i;
const STRUCK = /(?:^|;)\s*text-decoration(?:-line)?\s*:[^;]*line-through/i;
/** No table on a page is wider; some pages say so to fill the line. */
const MOST_COLUMNS = 100;

/** Changes `body` in place. */
export function cleanHtml(body: HTMLElement): LeftOut {
  const leftOut = { pictures: false, colours: false, comments: false, hidden: false };
  for (const one of body.querySelectorAll(NEVER_TEXT)) one.remove();
  for (const one of body.querySelectorAll(COMMENTS)) {
    leftOut.comments = true;
    one.remove();
  }
  for (const one of body.querySelectorAll("[hidden],[style]")) {
    if (!one.hasAttribute("hidden") && !HIDDEN.test(styleOf(one))) continue;
    if (one.textContent?.trim()) leftOut.hidden = true;
    one.remove();
  }
  for (const one of body.querySelectorAll(PICTURES)) {
    leftOut.pictures = true;
    one.remove();
  }
  leftOut.colours = isColoured(body);
  nestWordLists(body);
  // Google Docs puts a list beside the item that it belongs to.
  for (const one of body.querySelectorAll("ul > ul, ul > ol, ol > ul, ol > ol")) {
    if (one.previousElementSibling?.localName === "li") one.previousElementSibling.append(one);
  }
  for (const one of body.querySelectorAll("p.MsoTitle")) rename(one, "h1");
  for (const one of body.querySelectorAll<HTMLElement>("b,strong,i,em,span,sup,sub,td,th")) plainElement(one);
  return leftOut;
}

function styleOf(element: Element): string {
  return element.getAttribute("style") ?? "";
}

/** Whether it has a background, or text in two colours. Links do not count. */
function isColoured(body: HTMLElement): boolean {
  const colours = new Set<string>();
  for (const one of body.querySelectorAll("[style],font[color],[bgcolor]")) {
    const background = one.getAttribute("bgcolor") ?? BACKGROUND.exec(styleOf(one))?.[1];
    if (background && !NO_BACKGROUND.test(background.trim())) return true;
    const colour = one.getAttribute("color") ?? COLOUR.exec(styleOf(one))?.[1];
    if (!colour || one.closest("a") || !one.textContent?.trim()) continue;
    colours.add(
      colour
        .trim()
        .toLowerCase()
        .replace(/^(?:windowtext|#000|#000000|rgb\(0, ?0, ?0\))$/, "black"),
    );
    if (colours.size > 1) return true;
  }
  return false;
}

/** Styles that a text can show become the elements for them. */
function plainElement(element: HTMLElement): void {
  const style = styleOf(element);
  const name = element.localName;
  if (name === "td" || name === "th") {
    for (const span of ["colspan", "rowspan"]) {
      if (Number(element.getAttribute(span)) > MOST_COLUMNS) element.setAttribute(span, `${MOST_COLUMNS}`);
    }
    // The converter counts cells, not columns, where it looks for the alignment of columns.
    if (element.parentElement?.querySelector("[colspan]")) element.removeAttribute("align");
  } else if (name === "sup" || name === "sub") {
    const raised = shifted(element.textContent ?? "", name);
    if (raised) element.textContent = raised;
  } else if (name === "b" || name === "strong") {
    // Google Docs puts all that is copied into such an element.
    if (NOT_BOLD.test(style)) element.replaceWith(...element.childNodes);
  } else if (name === "span" && style) {
    if (BOLD.test(style)) wrapContent(element, "strong");
    if (ITALIC.test(style)) wrapContent(element, "em");
    if (STRUCK.test(style)) wrapContent(element, "del");
  }
}

const DIGITS = { sup: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ", sub: "₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙ" };

/** Raised or lowered digits as characters; null if there is none for one of them. */
function shifted(text: string, as: "sup" | "sub"): string | null {
  const characters = [...text.trim().replace("−", "-")].map((one) => DIGITS[as]["0123456789+-()n".indexOf(one)]);
  return characters.length > 0 && characters.every((one) => one !== undefined) ? characters.join("") : null;
}

function wrapContent(element: Element, name: string): void {
  const inside = element.ownerDocument.createElement(name);
  inside.append(...element.childNodes);
  element.append(inside);
}

function rename(element: Element, name: string): Element {
  const renamed = element.ownerDocument.createElement(name);
  renamed.append(...element.childNodes);
  element.replaceWith(renamed);
  return renamed;
}

const LIST_LEVEL = /mso-list\s*:[^;]*\blevel(\d)/i;
const NUMBERED = /^\(?(?:(\d+)|[a-z]|[ivxlcdm]+)[.)]/i;

/** Word writes the items of a list as paragraphs that begin with their bullets and numbers. */
function nestWordLists(body: HTMLElement): void {
  /** The lists that are open, outermost first. */
  let open: Element[] = [];
  let last: Element | null = null;
  for (const item of body.querySelectorAll('[style*="mso-list"]')) {
    const level = LIST_LEVEL.exec(styleOf(item))?.[1];
    if (!level) continue;
    const number = [...item.querySelectorAll('[style*="mso-list"]')].find((one) => /Ignore/i.test(styleOf(one)));
    const marker = number?.textContent?.trim() ?? "";
    if (item.localName !== "p") {
      // The number of a heading is text.
      if (number) number.textContent = `${marker} `;
      continue;
    }
    number?.remove();
    if (last === null || item.previousElementSibling !== last) open = [];
    const depth = Math.min(Number(level), open.length + 1);
    open = open.slice(0, depth);
    const numbered = NUMBERED.exec(marker);
    const name = numbered ? "ol" : "ul";
    let list = open[depth - 1];
    if (!list || list.localName !== name) {
      list = item.ownerDocument.createElement(name);
      if (numbered?.[1]) list.setAttribute("start", numbered[1]);
      const outer = open[depth - 2];
      if (outer) (outer.lastElementChild ?? outer).append(list);
      else item.before(list);
      open = [...open.slice(0, depth - 1), list];
    }
    list.append(rename(item, "li"));
    last = open[0] ?? null;
  }
}
