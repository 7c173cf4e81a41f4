import type { Editor } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { COVERED_BELOW, reveal } from "@/components/reader/reveal";
import { dockedBelow } from "@/features/workspace/shell/Dock";
import { countBefore } from "@/lib/binary-search";
import { CLASS } from "@/marked-text/class-names";
import type { TextSpan } from "@/marked-text/markup";
import { highlight } from "./engine/highlights";
import { syncSelection } from "./engine/sync-selection";
import { type TextMap, textMap } from "./engine/text-map";

/** More than fit on any screen. */
const MOST_DRAWN = 1000;
const AROUND_PX = 300;
/** Between the shown place and what covers the foot of the window. */
const AIR_PX = 16;

/** Shows places of the text, of which only those in view are drawn. */
export class Highlights {
  readonly #editor: Editor;
  #doc: Node | null = null;
  #places: readonly TextSpan[] = [];
  #current = -1;
  #frame = 0;
  #last = "";

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  /** Shows these places of the text as it is now, in order; they move with the text until the next call. */
  show(places: readonly TextSpan[], current: number): void {
    if (this.#editor.isDestroyed) return;
    const listened = this.#doc !== null;
    this.#places = places;
    this.#current = current;
    this.#last = "";
    if (places.length > 0) {
      this.#doc = this.#editor.state.doc;
      if (!listened) for (const event of MOVING) window.addEventListener(event, this.#later, { passive: true });
      this.#draw();
    } else if (listened) {
      this.#doc = null;
      for (const event of MOVING) window.removeEventListener(event, this.#later);
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
      this.#editor.view.dispatch(highlight(this.#editor.state, [], null));
    }
  }

  readonly #later = (): void => {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  };

  #draw(): void {
    this.#frame = 0;
    const editor = this.#editor;
    // The places in the changed document are shown a moment later; until then these move with the text.
    if (editor.isDestroyed || editor.state.doc !== this.#doc) return;
    const all = this.#places;
    const text = textMap(this.#doc);
    const { from, to } = inView(editor, text);
    const start = countBefore(all.length, (index) => (all[index]?.from ?? 0) < from);
    const places: TextSpan[] = [];
    for (let index = start; index < all.length && places.length < MOST_DRAWN; index++) {
      const place = all[index];
      if (!place || place.from > to) break;
      if (index !== this.#current) places.push(place);
    }
    const next = `${from} ${to}`;
    if (next === this.#last) return;
    this.#last = next;
    const here = all[this.#current];
    const range = (place: TextSpan) => ({ from: text.positionFrom(place.from), to: text.positionTo(place.to) });
    // Redrawing sets the page's selection to the editor's, which may not include the last key yet.
    syncSelection(editor.view);
    editor.view.dispatch(highlight(editor.state, places.map(range), here ? range(here) : null));
  }
}

const MOVING = ["scroll", "resize"] as const;

/** The text in the chunks that are in the window or near it. */
function inView({ view, state: { doc } }: Editor, text: TextMap): TextSpan {
  const chunks = view.dom.children;
  const bottom = (index: number) => chunks[index]?.getBoundingClientRect().bottom ?? 0;
  const first = countBefore(chunks.length, (index) => bottom(index) < -AROUND_PX);
  let last = first;
  while (last < doc.childCount && (chunks[last]?.getBoundingClientRect().top ?? 0) <= window.innerHeight + AROUND_PX)
    last++;
  let pos = 0;
  for (let index = 0; index < Math.min(first, doc.childCount); index++) pos += doc.child(index).nodeSize;
  let end = pos;
  for (let index = first; index < last; index++) end += doc.child(index).nodeSize;
  return { from: text.offsetOf(pos + 2), to: text.offsetOf(Math.max(pos + 2, end - 2)) };
}

/** Scrolls to the current place. Returns a function that stops it. */
export function revealCurrent({ view }: Editor, position: number): () => void {
  return reveal(
    () => view.dom.querySelector(`.${CLASS.found}[data-current]`),
    () => {
      const { node } = view.domAtPos(position);
      (node instanceof Element ? node : node.parentElement)?.scrollIntoView({ block: "center", behavior: "instant" });
    },
    Math.max(COVERED_BELOW, dockedBelow() + AIR_PX),
  );
}
