import { TextSelection } from "@tiptap/pm/state";
import { useEditorState } from "@tiptap/react";
import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { hang, isStill, type Press } from "@/marked-text/edge-handle";
import type { Edge } from "@/marked-text/edge-steps";
import type { Range } from "./engine/commands";
import { previewEdges } from "./engine/edge-preview";
import { edgeMovedTo } from "./engine/edges";
import { inLine } from "./engine/insert";
import { spanIdAt } from "./engine/place";
import type { Span } from "./engine/queries";
import { useOpenText, useWatched } from "./open-text";

interface Drag extends Press {
  readonly edge: Edge;
  readonly span: Span;
  readonly pointer: number;
  /** From the pointer to the edge. */
  readonly toX: number;
  readonly toY: number;
  /** What the span would be. */
  readonly wanted: Range;
}

/**
 * Handles at both edges of the span that the cursor is in, to drag these by mouse or finger. Nothing changes before one
 * is let go. Keys move edges, too, so that these are hidden from who cannot see them.
 */
export function EdgeHandles({ sheet }: { sheet: RefObject<HTMLElement | null> }) {
  const { editor } = useOpenText();
  const { doc, spans } = useWatched();
  const id = useEditorState({
    editor,
    selector: ({ editor: { state, isEditable, isFocused } }) =>
      isEditable && isFocused && state.selection.empty ? spanIdAt(state.doc, state.selection.head) : null,
  });
  const [drag, setDrag] = useState<Drag | null>(null);
  const start = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  // While the author types, the known spans are out of date: the handles come back after that.
  const span = id !== null && doc === editor.state.doc ? spans.find((one) => one.id === id) : undefined;
  const shown = drag?.wanted ?? span;

  const placeBoth = useEffectEvent(() => {
    if (!shown || !sheet.current || !start.current || !end.current || editor.state.doc !== doc) return;
    const paper = sheet.current.getBoundingClientRect();
    hang(start.current, paper, editor.view.coordsAtPos(shown.from, 1), "start");
    hang(end.current, paper, editor.view.coordsAtPos(shown.to, -1), "end");
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: wherever the edges are, or the text before them changed
  useLayoutEffect(() => placeBoth(), [shown?.from, shown?.to, doc]);
  const isShown = shown !== undefined;
  useEffect(() => {
    if (!isShown || typeof ResizeObserver === "undefined") return;
    // Lines break elsewhere, and distant text is laid out.
    const resized = new ResizeObserver(() => placeBoth());
    resized.observe(editor.view.dom);
    return () => resized.disconnect();
  }, [editor, isShown]);

  const stop = () => {
    if (!drag) return;
    setDrag(null);
    if (editor.state.doc === doc) editor.view.dispatch(previewEdges(editor.state, drag.span, null));
  };
  const giveUp = useEffectEvent(stop);
  // The text has changed: undone by key, or saved elsewhere meanwhile.
  const isOver = drag !== null && span !== drag.span;
  useEffect(() => {
    if (isOver) giveUp();
  }, [isOver]);
  const dragging = drag !== null;
  useEffect(() => {
    if (!dragging) return;
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      giveUp();
    };
    window.addEventListener("keydown", key, { capture: true });
    return () => window.removeEventListener("keydown", key, { capture: true });
  }, [dragging]);

  if (!span || !shown) return null;

  const begin = (edge: Edge) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || !event.isPrimary) return;
    // The focus stays in the text, and the bubble does not take this for selecting.
    event.preventDefault();
    event.stopPropagation();
    const { pointerId, clientX, clientY } = event;
    event.currentTarget.setPointerCapture(pointerId);
    const at = edge === "start" ? editor.view.coordsAtPos(span.from, 1) : editor.view.coordsAtPos(span.to, -1);
    setDrag({
      ...{ edge, span, pointer: pointerId, startX: clientX, startY: clientY, wanted: span },
      ...{ toX: at.left - clientX, toY: (at.top + at.bottom) / 2 - clientY, moved: false },
    });
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    if (!drag || event.pointerId !== drag.pointer || editor.state.doc !== doc) return;
    const position = askedFor(drag, event);
    const wanted = position === null ? null : edgeMovedTo(doc, drag.span.id, drag.edge, position);
    if (!wanted) return;
    setDrag({ ...drag, wanted, moved: true });
    editor.view.dispatch(previewEdges(editor.state, drag.span, wanted));
  };
  const drop = (event: PointerEvent<HTMLElement>) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    const { state, view } = editor;
    const position = askedFor(drag, event);
    const clicked = isStill(drag, event) ? positionUnder(event.currentTarget, event.clientX, event.clientY) : null;
    stop();
    if (state.doc !== doc) return;
    if (position !== null) editor.commands.moveEdge(drag.span.id, drag.edge, position);
    // The next typed text belongs where the author clicked.
    else if (clicked !== null)
      view.dispatch(state.tr.setSelection(TextSelection.create(doc, clicked)).setMeta("pointer", true));
    view.focus();
  };
  /** Where the edge is to go; null before the pointer went anywhere, and outside of the text. */
  const askedFor = (now: Drag, event: PointerEvent<HTMLElement>): number | null =>
    isStill(now, event) ? null : positionUnder(event.currentTarget, event.clientX + now.toX, event.clientY + now.toY);
  /** The position in the text, as if the handle were not above it. */
  const positionUnder = (handle: HTMLElement, left: number, top: number): number | null => {
    handle.style.pointerEvents = "none";
    const found = editor.view.posAtCoords({ left, top });
    handle.style.pointerEvents = "";
    return found && inLine(editor.state.doc, found.pos, 1);
  };
  const handle = (edge: Edge) => ({
    ...{ "aria-hidden": true, "data-edge": edge, className: "edge-handle" },
    ...{ onPointerDown: begin(edge), onPointerMove: move, onPointerUp: drop, onPointerCancel: () => stop() },
  });
  return (
    <>
      <div ref={start} {...handle("start")} />
      <div ref={end} {...handle("end")} />
    </>
  );
}
