import { Node } from "@tiptap/core";
import { CLASS } from "@/marked-text/class-names";

/** "": none, the document begins here or a very long line continues. */
export type LineEnd = "\n" | "\r\n" | "\r" | "";

export interface LineAttributes {
  /** The line end between the line before and this one. */
  readonly before: LineEnd;
  /** The span that this line end belongs to. */
  readonly beforeSpan: number | null;
}

/**
 * A line with the line end *before* it. So when ProseMirror joins two lines, and keeps the attributes of the first, it
 * deletes just the line end between them; with the end after the line, it would delete the wrong one, and with it
 * perhaps the classification of the other. The first line of a document has none before it, whatever it says.
 */
export const LineNode = Node.create({
  name: "line",
  content: "text*",
  marks: "classified",
  whitespace: "pre",
  selectable: false,

  addAttributes() {
    return {
      before: { default: "\n", rendered: false, keepOnSplit: false },
      beforeSpan: { default: null, rendered: false, keepOnSplit: false },
    };
  },

  parseHTML() {
    return [{ tag: `div.${CLASS.line}` }, { tag: "div", priority: 1 }, { tag: "p", priority: 1 }];
  },

  renderHTML({ node }) {
    const classes: string[] = [CLASS.line];
    if (node.attrs.before === "") classes.push(CLASS.lineContinued);
    if (node.attrs.beforeSpan !== null) classes.push(CLASS.afterClassifiedEnd);
    return ["div", { class: classes.join(" ") }, 0];
  },
});
