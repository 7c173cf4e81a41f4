/** The schema, doc > chunk+ > line+ > text*, and the ways to make and read its parts. */

import { getSchema } from "@tiptap/core";
import type { Mark, MarkType, Node, NodeType, Schema } from "@tiptap/pm/model";
import { ChunkNode } from "./chunk";
import { ClassifiedMark } from "./classified";
import { DocumentNode } from "./document";
import { type LineAttributes, LineNode } from "./line";
import { TextNode } from "./text";

export const schemaExtensions = [DocumentNode, ChunkNode, LineNode, TextNode, ClassifiedMark];

/** Which span a piece of text or a line end belongs to; null: it is plain. */
export type SpanId = number | null;

interface Parts {
  readonly doc: NodeType;
  readonly chunk: NodeType;
  readonly line: NodeType;
  readonly classified: MarkType;
}

const known = new WeakMap<Schema, Parts>();

/** The parts of an editor's schema; each editor has its own schema. */
export function partsOf(schema: Schema): Parts {
  let parts = known.get(schema);
  if (!parts) {
    const { doc, chunk, line } = schema.nodes;
    const { classified } = schema.marks;
    if (!doc || !chunk || !line || !classified) throw new Error("this is not the schema of a classified document");
    parts = { doc, chunk, line, classified };
    known.set(schema, parts);
  }
  return parts;
}

/** A schema to build documents with where there is no editor. */
export function documentSchema(): Schema {
  return getSchema(schemaExtensions);
}

/** The span of a text node. */
export function spanOf(text: Node): SpanId {
  return text.marks.length ? (text.marks[0]?.attrs.id as number) : null;
}

/** The marks of text that belongs to the span. */
export function marksFor(schema: Schema, span: SpanId): readonly Mark[] {
  return span === null ? [] : [partsOf(schema).classified.create({ id: span })];
}

export function lineAttributes(line: Node): LineAttributes {
  return line.attrs as LineAttributes;
}
