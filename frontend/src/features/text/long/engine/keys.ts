/** CodeMirror's keys for text, as `spans.ts` and `line-ends.ts` want them. */

import {
  copyLineDown,
  copyLineUp,
  cursorCharLeft,
  cursorCharRight,
  cursorGroupLeft,
  cursorGroupRight,
  defaultKeymap,
  moveLineDown,
  moveLineUp,
  selectCharLeft,
  selectCharRight,
  selectGroupLeft,
  selectGroupRight,
  transposeChars,
} from "@codemirror/commands";
import type { Command, KeyBinding } from "@codemirror/view";
import { enter, overLineEnds } from "./line-ends";

/** They take text out and put it in again elsewhere, where it would be plain. */
const UNMARKING = new Set<unknown>([moveLineUp, moveLineDown, copyLineUp, copyLineDown, transposeChars]);
const MOVES = new Set<unknown>([cursorCharLeft, cursorCharRight, cursorGroupLeft, cursorGroupRight]);
const SELECTS = new Set<unknown>([selectCharLeft, selectCharRight, selectGroupLeft, selectGroupRight]);

export const TEXT_KEYS: readonly KeyBinding[] = [
  { key: "Enter", run: enter, shift: enter },
  ...defaultKeymap
    .filter(({ run }) => !UNMARKING.has(run))
    .map(({ run, shift, ...binding }) => ({
      ...binding,
      ...(run && { run: over(run) }),
      ...(shift && { shift: over(shift) }),
    })),
];

function over(command: Command): Command {
  if (MOVES.has(command)) return overLineEnds(command, false);
  return SELECTS.has(command) ? overLineEnds(command, true) : command;
}
