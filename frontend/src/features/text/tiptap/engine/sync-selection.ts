/** The cursor that people see. */

import type { EditorView } from "@tiptap/pm/view";

/**
 * Makes the editor's selection the one that is in the page. The browser moves it at once but tells of it later, and when
 * it is busy the next key comes first: that key would be about another place than the one that is seen.
 */
export function syncSelection(view: EditorView): void {
  if (!view.composing) view.dom.ownerDocument.dispatchEvent(new Event("selectionchange"));
}
