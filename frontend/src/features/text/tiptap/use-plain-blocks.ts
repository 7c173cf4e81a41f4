import { useState } from "react";
import type { Watched } from "./document-watch";
import { plainText } from "./engine/serialise";
import { blocksOf, NO_BLOCKS, type PlainBlock } from "./plain-blocks";

/** The blocks of the plain text; those that did not change are the same objects as before. */
export function usePlainBlocks({ doc }: Watched): readonly PlainBlock[] {
  const [shown, setShown] = useState(() => ({ doc, ...blocksOf(plainText(doc), NO_BLOCKS) }));
  if (shown.doc === doc) return shown.blocks;
  const next = { doc, ...blocksOf(plainText(doc), shown) };
  setShown(next);
  return next.blocks;
}
