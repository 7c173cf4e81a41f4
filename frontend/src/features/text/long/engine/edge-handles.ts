/**
 * Handles at both edges of the span that the cursor is in, to drag these by mouse or finger, as the editor of short texts
 * has (`features/text/tiptap/EdgeHandles.tsx`). Nothing changes before one is let go. Above and below what is seen the text comes
 * along. Keys move edges, too, so that these are hidden from who cannot see them.
 */

import { type Extension, Prec } from "@codemirror/state";
import { type EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { hang, isStill, type Press } from "@/marked-text/edge-handle";
import type { Edge } from "@/marked-text/edge-steps";
import type { TextSpan } from "@/marked-text/markup";
import { edgePreview, previewEdges } from "./edge-preview";
import { edgeMovedTo, moveEdge } from "./edges";
import { spanAt, spansField } from "./spans";

/** What all of it needs; where it is taken out, a drag ends. */
export function edgeHandles(): Extension {
  // Within the span's own mark, or that would cover it.
  return [Prec.high(edgePreview), ViewPlugin.fromClass(EdgeHandles)];
}

const EDGES: readonly Edge[] = ["start", "end"];

/** How fast the text comes along, per second: so many times as far as it is dragged beyond what is seen. */
const PACE = 20;
/** A frame that comes late moves the text no farther than this many milliseconds would. */
const LONGEST_FRAME_MS = 50;

interface Drag extends Press {
  readonly edge: Edge;
  readonly span: TextSpan;
  readonly pointer: number;
  /** From the pointer to the edge. */
  readonly toX: number;
  readonly toY: number;
  /** Where the pointer is now, on the screen. */
  readonly x: number;
  readonly y: number;
  /** What the span would be. */
  readonly wanted: TextSpan;
}

class EdgeHandles implements PluginValue {
  readonly #view: EditorView;
  readonly #handles: Readonly<Record<Edge, HTMLElement>>;
  /** The one that the cursor is in. */
  #span: TextSpan | null;
  #drag: Drag | null = null;
  #frame = 0;

  constructor(view: EditorView) {
    this.#view = view;
    this.#handles = { start: this.#handle("start"), end: this.#handle("end") };
    this.#span = spanHere(view);
    this.#placeSoon();
  }

  update({ docChanged, state, startState }: ViewUpdate): void {
    // The text has changed: typed, undone by key, or saved elsewhere meanwhile.
    if (docChanged || state.field(spansField) !== startState.field(spansField)) this.#end();
    this.#span = spanHere(this.#view);
    this.#placeSoon();
  }

  destroy(): void {
    this.#end();
    for (const edge of EDGES) this.#handles[edge].remove();
  }

  #handle(edge: Edge): HTMLElement {
    const handle = document.createElement("div");
    handle.className = "edge-handle";
    handle.dataset.edge = edge;
    handle.setAttribute("aria-hidden", "true");
    handle.hidden = true;
    handle.addEventListener("pointerdown", (event) => this.#begin(event, edge));
    handle.addEventListener("pointermove", (event) => this.#move(event));
    handle.addEventListener("pointerup", (event) => this.#drop(event));
    for (const type of ["pointercancel", "lostpointercapture"] as const)
      handle.addEventListener(type, ({ pointerId }) => {
        if (pointerId === this.#drag?.pointer) this.#giveUp();
      });
    // Beside the text, where the editor hears nothing of what happens to it; it scrolls along.
    return this.#view.scrollDOM.appendChild(handle);
  }

  #placeSoon(): void {
    if (!this.#shown()) this.#hide();
    else
      this.#view.requestMeasure({
        key: this,
        read: () => this.#places(),
        write: (places) => {
          if (!places) return this.#hide();
          for (const edge of EDGES) {
            const [handle, at] = [this.#handles[edge], places[edge]];
            handle.hidden = at === null && this.#drag?.edge !== edge;
            if (at) hang(handle, places.sheet, at, edge);
          }
        },
      });
  }

  #shown(): TextSpan | null {
    return this.#drag?.wanted ?? this.#span;
  }

  #hide(): void {
    for (const edge of EDGES) this.#handles[edge].hidden = true;
  }

  /** Null if there is none to be shown by now. */
  #places() {
    const shown = this.#shown();
    if (!shown) return null;
    const { scrollDOM } = this.#view;
    const { left, top } = scrollDOM.getBoundingClientRect();
    const { scrollLeft, scrollTop, clientWidth } = scrollDOM;
    return {
      sheet: { left: left - scrollLeft, top: top - scrollTop, width: clientWidth },
      start: seenAt(this.#view, shown.from, 1),
      end: seenAt(this.#view, shown.to, -1),
    };
  }

  #begin(event: PointerEvent, edge: Edge): void {
    const { button, isPrimary, pointerId, clientX, clientY } = event;
    const span = this.#span;
    if (button !== 0 || !isPrimary || !span || this.#drag) return;
    const at = edge === "start" ? seenAt(this.#view, span.from, 1) : seenAt(this.#view, span.to, -1);
    if (!at) return;
    // The focus stays in the text.
    event.preventDefault();
    this.#handles[edge].setPointerCapture(pointerId);
    this.#drag = {
      ...{ edge, span, pointer: pointerId, startX: clientX, startY: clientY, x: clientX, y: clientY, wanted: span },
      ...{ toX: at.left - clientX, toY: (at.top + at.bottom) / 2 - clientY, moved: false },
    };
    window.addEventListener("keydown", this.#key, { capture: true });
    this.#view.scrollDOM.addEventListener("scroll", this.#show);
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (event.pointerId !== drag?.pointer || isStill(drag, event)) return;
    this.#drag = { ...drag, x: event.clientX, y: event.clientY, moved: true };
    this.#show();
    if (this.#frame === 0) this.#comeAlong();
  }

  #drop(event: PointerEvent): void {
    const drag = this.#drag;
    if (event.pointerId !== drag?.pointer) return;
    const view = this.#view;
    const now = { ...drag, x: event.clientX, y: event.clientY };
    const isClick = isStill(drag, event);
    this.#end();
    const moved = isClick ? null : moveEdge(view.state, drag.span, drag.edge, this.#askedFor(now));
    // The next typed text belongs where the author clicked.
    const clicked = isClick && { selection: { anchor: view.posAtCoords(now, false) }, userEvent: "select.pointer" };
    view.dispatch(moved ?? { effects: previewEdges.of(null), ...clicked });
    view.focus();
  }

  /** Shows what would come of it if it were let go here. */
  readonly #show = (): void => {
    const drag = this.#drag;
    if (!drag?.moved) return;
    const { span, edge } = drag;
    const wanted = edgeMovedTo(this.#view.state, span, edge, this.#askedFor(drag));
    if (!wanted || (wanted.from === drag.wanted.from && wanted.to === drag.wanted.to)) return;
    this.#drag = { ...drag, wanted };
    this.#view.dispatch({ effects: previewEdges.of({ span, wanted }) });
  };

  /** The position in the text; beyond what is seen, the nearest that is. */
  #askedFor({ x, y, toX, toY }: Drag): number {
    const { top, bottom } = this.#view.scrollDOM.getBoundingClientRect();
    return this.#view.posAtCoords({ x: x + toX, y: Math.max(top + 1, Math.min(y + toY, bottom - 1)) }, false);
  }

  /** As long as it is dragged beyond what is seen. `before`: when the frame before this one was. */
  #comeAlong(before?: number): void {
    this.#frame = requestAnimationFrame((now) => {
      this.#frame = 0;
      if (!this.#drag) return;
      const { scrollDOM } = this.#view;
      const { top, bottom } = scrollDOM.getBoundingClientRect();
      const { y, toY } = this.#drag;
      // The handle hangs under its line: where that is the last one, the pointer is near the lower end all the time.
      const beyond = Math.min(0, y + toY - top) + Math.max(0, y - bottom);
      if (beyond === 0) return;
      const elapsed = before === undefined ? 0 : Math.min(LONGEST_FRAME_MS, now - before);
      scrollDOM.scrollTop += (beyond * PACE * elapsed) / 1000;
      this.#comeAlong(now);
    });
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.#giveUp();
  };

  #giveUp(): void {
    this.#end();
    this.#view.dispatch({ effects: previewEdges.of(null) });
  }

  #end(): void {
    this.#drag = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    window.removeEventListener("keydown", this.#key, { capture: true });
    this.#view.scrollDOM.removeEventListener("scroll", this.#show);
  }
}

function spanHere(view: EditorView): TextSpan | null {
  const { main } = view.state.selection;
  return view.hasFocus && main.empty ? spanAt(view.state.field(spansField), main.head) : null;
}

/** Its position on the screen; null where the text is not laid out. */
function seenAt(view: EditorView, pos: number, side: -1 | 1) {
  return view.visibleRanges.some(({ from, to }) => from <= pos && pos <= to) ? view.coordsAtPos(pos, side) : null;
}
