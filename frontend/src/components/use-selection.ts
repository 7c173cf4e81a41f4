import { useState } from "react";
import { NOTHING_SELECTED, type Selection } from "./selection";

/**
 * What is selected in a list. `list` names it by its search and filters: when these change, nothing is selected any more, so
 * that no action applies to rows that somebody does not see.
 */
export function useSelection(list: string) {
  const [selection, setSelection] = useState<Selection<{ id: string }>>(NOTHING_SELECTED);
  const [of, setOf] = useState(list);
  if (of !== list) {
    setOf(list);
    setSelection(NOTHING_SELECTED);
  }
  return [selection, setSelection] as const;
}
