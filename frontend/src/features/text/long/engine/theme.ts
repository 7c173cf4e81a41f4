/** How a long text looks: the style sheet of its shadow root, where the page's own do not reach. */

import { EditorView } from "@codemirror/view";

// not a text
export const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", fontSize: "1.0625rem", backgroundColor: "var(--paper)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-serif)", lineHeight: "1.65", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "1rem 0" },
  ".cm-line": { padding: "0 1rem", unicodeBidi: "plaintext" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--quiet)",
    border: "none",
    fontFamily: "var(--font-sans)",
    fontSize: "0.75rem",
  },
  // As high as a line of the text beside it.
  ".cm-gutterElement": { lineHeight: "calc(1.0625rem * 1.65)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  // Over the text: under it, what is classified would cover it. Its colour is the page's for what is selected.
  ".cm-selectionLayer": { zIndex: "1 !important", pointerEvents: "none" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--focus) 26%, transparent)",
  },
  "mark.classified": {
    background: "var(--secure-ground)",
    color: "inherit",
    borderRadius: "2px",
    padding: "0.08em 0",
    textDecoration: "underline solid var(--secure-edge) 0.11em",
    textUnderlineOffset: "0.2em",
    textDecorationSkipInk: "none",
  },
  ".span-label::before": {
    content: 'attr(data-label) "\\2060"',
    marginInlineEnd: "0.4em",
    padding: "0.1em 0.35em",
    border: "1px solid var(--secure-edge)",
    borderRadius: "2px",
    color: "var(--secure)",
    font: "500 0.6em / 1 var(--font-sans)",
    letterSpacing: "0.03em",
    verticalAlign: "0.18em",
    userSelect: "none",
  },
  ".found-place": {
    borderRadius: "2px",
    outline: "1px solid color-mix(in srgb, var(--focus) 60%, transparent)",
    background: "color-mix(in srgb, var(--focus) 20%, transparent)",
  },
  ".found-place[data-current]": { outline: "2px solid var(--focus)" },
  ".finding": { textDecoration: "underline wavy var(--plain-edge) 1.5px", textUnderlineOffset: "0.3em" },
  // While an edge is dragged: what the span would gain looks classified, what it would lose looks plain.
  ".edge-gained": { background: "var(--secure-ground)", boxShadow: "inset 0 -0.15em var(--secure-edge)" },
  ".edge-lost": { background: "var(--paper)", boxShadow: "inset 0 0 0 1px var(--plain-edge)" },
  // Under the line, start to the left and end to the right, so that the letters at the edge can be clicked.
  ".edge-handle": {
    "--target": "24px",
    position: "absolute",
    inset: "0 auto auto 0",
    // Above the numbers of the lines.
    zIndex: "201",
    inlineSize: "var(--target)",
    blockSize: "var(--target)",
    cursor: "ew-resize",
    touchAction: "none",
    userSelect: "none",
  },
  "@media (pointer: coarse)": { ".edge-handle": { "--target": "44px" } },
  // What is seen of it: a drop that points to the edge.
  ".edge-handle::after": {
    content: '"" / ""',
    position: "absolute",
    insetBlockStart: "1px",
    insetInlineStart: "var(--knob, 0)",
    boxSizing: "border-box",
    inlineSize: "13px",
    blockSize: "13px",
    border: "1.5px solid var(--paper)",
    borderRadius: "0 50% 50% 50%",
    background: "var(--secure-edge)",
  },
  '.edge-handle[data-edge="start"]::after': { borderRadius: "50% 0 50% 50%" },
  "@media (forced-colors: active)": {
    ".edge-handle::after": { forcedColorAdjust: "none", borderColor: "Canvas", background: "CanvasText" },
    ".cm-selectionLayer": { forcedColorAdjust: "none", "--focus": "Highlight" },
  },
  "&.eavesdropped .cm-line": {
    color: "var(--plain)",
    textDecoration: "underline dashed color-mix(in srgb, var(--plain-edge) 55%, transparent) 1px",
    textUnderlineOffset: "0.24em",
  },
  ".withheld": {
    display: "inline-block",
    width: "3.25em",
    height: "1.05em",
    margin: "0 0.1em",
    verticalAlign: "-0.16em",
    borderRadius: "2px",
    background: "var(--secure-ground)",
    borderBlockEnd: "2px solid var(--secure-edge)",
    textDecoration: "none",
  },
});
