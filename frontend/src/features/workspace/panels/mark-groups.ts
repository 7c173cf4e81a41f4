/** Marks of one text as one row of a list: "Tom Reed × 42". Pure. */

/** From how many marks of one text on they are one row. */
export const LEAST_GROUP = 4;

/** A row of the list: one mark, or several of one text, whose marks follow if it is open. */
export type Entry =
  | { readonly is: "one"; readonly index: number; readonly inGroup: boolean }
  | { readonly is: "group"; readonly key: string; readonly indexes: readonly number[]; readonly open: boolean };

/**
 * The rows for marks with these texts, in the order in which each text comes first. An empty text is in no group. `open`:
 * the keys of the groups whose marks are listed.
 */
export function entriesOf(texts: readonly string[], open: ReadonlySet<string>): readonly Entry[] {
  const byText = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    if (text === "") continue;
    const known = byText.get(text);
    if (known) known.push(index);
    else byText.set(text, [index]);
  }
  const entries: Entry[] = [];
  for (const [index, text] of texts.entries()) {
    const indexes = byText.get(text) ?? [];
    if (indexes.length < LEAST_GROUP) entries.push({ is: "one", index, inGroup: false });
    else if (indexes[0] === index) {
      const isOpen = open.has(text);
      entries.push({ is: "group", key: text, indexes, open: isOpen });
      if (isOpen) entries.push(...indexes.map((one): Entry => ({ is: "one", index: one, inGroup: true })));
    }
  }
  return entries;
}
