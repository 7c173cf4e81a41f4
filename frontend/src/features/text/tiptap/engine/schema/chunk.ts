import { Node } from "@tiptap/core";
import { CLASS } from "@/marked-text/class-names";

/**
 * Some lines, so that the browser can lay out a part of a long document. It means nothing: commands, queries and
 * serialising behave as if chunks were not there.
 */
export const ChunkNode = Node.create({
  name: "chunk",
  content: "line+",
  selectable: false,

  parseHTML() {
    return [{ tag: `div.${CLASS.chunk}` }];
  },

  renderHTML() {
    return ["div", { class: CLASS.chunk }, 0];
  },
});
