import { Node } from "@tiptap/core";

export const TextNode = Node.create({ name: "text" });
