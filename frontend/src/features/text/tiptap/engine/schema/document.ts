import { Node } from "@tiptap/core";

/** The whole text. */
export const DocumentNode = Node.create({
  name: "doc",
  topNode: true,
  content: "chunk+",
});
