/** Where a transaction comes from. */

import { isHistoryTransaction } from "@tiptap/pm/history";
import type { Transaction } from "@tiptap/pm/state";

const REBALANCING = "sieveRebalancing";

/** Undo or redo: the text that it restores kept the rules before. */
export function isHistory(tr: Transaction): boolean {
  return isHistoryTransaction(tr);
}

/** Only lines and chunks were cut again; no character changed. */
export function isRebalancing(tr: Transaction): boolean {
  return tr.getMeta(REBALANCING) === true;
}

export function asRebalancing(tr: Transaction): Transaction {
  return tr.setMeta(REBALANCING, true);
}
