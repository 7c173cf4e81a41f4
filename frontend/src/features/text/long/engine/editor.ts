/**
 * The editor of a long text: CodeMirror, which lays out only what is seen, with classified spans beside the text.
 *
 * It is in a shadow root, which adopts its style sheet: the page's content security policy refuses a style element.
 */

import { history, historyKeymap, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import {
  Compartment,
  EditorSelection,
  EditorState,
  type Extension,
  StateField,
  type Transaction,
  type TransactionSpec,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  ViewPlugin,
  WidgetType,
} from "@codemirror/view";
import { t } from "@lingui/core/macro";
import type { SelectionEnds } from "@/features/workspace/panels/BubbleBox";
import { KEYS } from "@/features/workspace/shell/shortcuts";
import { wordAt } from "@/marked-text/characters";
import { type MarkedDocument, parse, type TextSpan } from "@/marked-text/markup";
import { clipboardWithSpans } from "./clipboard";
import { edgeHandles } from "./edge-handles";
import { fitToSelection, grow, shrink } from "./edges";
import { TEXT_KEYS } from "./keys";
import { labelsField, showLabels } from "./labels";
import { keepingLineEnds } from "./line-ends";
import { findingsField, placesField, showFindings, showPlaces } from "./outlines";
import { type Snapshot, snapshotOf } from "./snapshot";
import {
  filledWith,
  isClassified,
  lastBefore,
  mark,
  ranges,
  replaceAll,
  spanAt,
  spanFrom,
  spansField,
  spansIn,
  stateOf,
  typesClassified,
  unmark,
} from "./spans";
import { THEME } from "./theme";
import { typingIntoLongLines } from "./typing";

const NOTHING: MarkedDocument = { text: "", spans: [] };

/** What the page shows of the editor, a moment after each change. */
export interface LongTextEditorStatus {
  readonly line: number;
  readonly column: number;
  readonly lines: number;
  readonly spans: number;
  readonly selected: number;
  /** Whether the selection, or the cursor, is in spans: then "Mark" would unmark. */
  readonly marked: boolean;
  /** Whether text typed now would be classified. */
  readonly typesClassified: boolean;
  /** Whether the selection reaches into a span, or the cursor is in one. */
  readonly some: boolean;
  /** Whether the selection reaches into one span that begins or ends elsewhere. */
  readonly fits: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export class LongTextEditor {
  readonly #view: EditorView;
  readonly #listeners = new Set<() => void>();
  readonly #changed = new Set<() => void>();
  readonly #hearers = new Set<(tr: Transaction) => void>();
  readonly #sight = new Compartment();
  /** What goes from the text as it came in. */
  readonly #since = new Compartment();
  #status: LongTextEditorStatus;
  #telling: number | null = null;

  readonly #host: HTMLElement;

  /** Throws MarkupError if the text is not well-formed. `label`: its name for assistive technology. */
  constructor(marked: string, label: string) {
    const document = parse(marked);
    const state = stateOf(NOTHING, [
      this.#since.of([]),
      drawSelection(),
      lineNumbers(),
      EditorView.lineWrapping,
      THEME,
      placesField,
      findingsField,
      labelsField,
      this.#sight.of(SHOWN),
      clipboardWithSpans(),
      typingIntoLongLines,
      keymap.of([
        { key: KEYS.mark, run: () => this.toggle() },
        { key: KEYS.nextSpan, run: () => this.step(1) },
        { key: KEYS.previousSpan, run: () => this.step(-1) },
        { key: KEYS.grow, run: () => this.#move((state) => grow(state, "word")) },
        { key: KEYS.shrink, run: () => this.#move((state) => shrink(state, "word")) },
        { key: KEYS.growCharacter, run: () => this.#move((state) => grow(state, "character")) },
        { key: KEYS.shrinkCharacter, run: () => this.#move((state) => shrink(state, "character")) },
        { key: KEYS.fit, run: () => this.fit() },
        ...historyKeymap,
        ...TEXT_KEYS,
      ]),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", translate: "no", tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        for (const tr of update.transactions) for (const hear of this.#hearers) hear(tr);
        const spans = update.state.field(spansField) !== update.startState.field(spansField);
        if (update.docChanged || spans) for (const listener of this.#changed) listener();
        if (update.docChanged || spans || update.selectionSet) this.#tellSoon();
      }),
    ]);
    this.#host = window.document.createElement("div");
    this.#host.style.height = "100%";
    this.#host.dataset.longText = "";
    const root = this.#host.attachShadow({ mode: "open", delegatesFocus: true });
    this.#view = new EditorView({ state, parent: root, root });
    // It is put in rather than begun with: what a view begins with it measures as if lines were not wrapped, and then
    // lays out all of a line of millions of characters, which takes minutes.
    this.#replaceDocument(filledWith(state, document));
    this.#status = statusOf(this.state);
  }

  /** What has the focus while somebody types. */
  get dom(): HTMLElement {
    return this.#view.contentDOM;
  }

  get state(): EditorState {
    return this.#view.state;
  }

  /** Shows it in `place`; returns how to take it out again. */
  mount(place: HTMLElement): () => void {
    place.append(this.#host);
    this.#view.requestMeasure();
    return () => this.#host.remove();
  }

  destroy(): void {
    if (this.#telling !== null) clearTimeout(this.#telling);
    this.#view.destroy();
  }

  readonly status = (): LongTextEditorStatus => this.#status;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** `listener` is called at each change of text or spans. */
  onChange(listener: () => void): () => void {
    this.#changed.add(listener);
    return () => this.#changed.delete(listener);
  }

  /** Calls `hear` with each transaction, after it is applied. */
  onTransaction(hear: (tr: Transaction) => void): () => void {
    this.#hearers.add(hear);
    return () => this.#hearers.delete(hear);
  }

  onBlur(listener: () => void): () => void {
    this.#view.contentDOM.addEventListener("blur", listener);
    return () => this.#view.contentDOM.removeEventListener("blur", listener);
  }

  /** Text and spans as they are now. */
  snapshot(): Snapshot {
    return snapshotOf(this.state);
  }

  text(): string {
    return this.snapshot().marked();
  }

  /** Replaces the text, and forgets the history, which is that of another text. Throws MarkupError. */
  replace(marked: string): void {
    this.#replaceDocument(replaceAll(this.state, marked));
  }

  focus(): void {
    this.#view.focus();
  }

  /** Marks or unmarks the selection, or the word or the span at the cursor. Whether there was anything to do. */
  toggle(): boolean {
    if (!this.state.facet(EditorView.editable)) return false;
    const { main } = this.state.selection;
    const spans = this.state.field(spansField);
    if (main.empty) {
      const span = spanAt(spans, main.head);
      if (span) return this.unmark([span]);
      const word = this.#word(main.head);
      return word !== null && this.mark([word]);
    }
    return isClassified(spans, main.from, main.to) ? this.unmark([main]) : this.mark([main]);
  }

  /** Whether there was anything to do: in an eavesdropper's view nothing is. */
  mark(places: readonly TextSpan[]): boolean {
    if (this.state.readOnly) return false;
    this.#view.dispatch(mark(this.state, places));
    return true;
  }

  unmark(places: readonly TextSpan[]): boolean {
    if (this.state.readOnly) return false;
    this.#view.dispatch(unmark(this.state, places));
    return true;
  }

  /** Has the one span that the selection reaches into begin and end with it. */
  fit(): boolean {
    return this.#move(fitToSelection);
  }

  undo(): void {
    undo(this.#view);
  }

  redo(): void {
    redo(this.#view);
  }

  /** Selects the next span, or the one before; after the last one, the first. */
  step(direction: 1 | -1): boolean {
    const { main } = this.state.selection;
    const spans = this.state.field(spansField);
    const next = direction === 1 ? spanFrom(spans, main.empty ? main.head : main.to) : lastBefore(spans, main.from);
    const wrapped = next ?? (direction === 1 ? spanFrom(spans, 0) : lastBefore(spans, this.state.doc.length + 1));
    if (wrapped) this.select(wrapped);
    return wrapped !== null;
  }

  select({ from, to }: TextSpan): void {
    this.#view.dispatch({
      selection: EditorSelection.single(from, to),
      effects: EditorView.scrollIntoView(EditorSelection.range(from, to), { y: "center" }),
    });
    this.#view.focus();
  }

  /** Outlines these places, the one at the index `current` more than the others. */
  showPlaces(all: readonly TextSpan[], current: number): void {
    // In an eavesdropper's view an outline would show where classified text is.
    if (this.state.readOnly && all.length > 0) return;
    // The text may have changed since; then the places are shown again soon.
    const places = all.filter(({ to }) => to <= this.state.doc.length);
    this.#view.dispatch({ effects: showPlaces.of({ places, current }) });
  }

  /** Underlines these places, at which the leak check found something. */
  underline(all: readonly TextSpan[]): void {
    // A new decoration around text that an input method composes would end the composition.
    if (this.#view.composing) return;
    const places = this.state.readOnly ? [] : all.filter(({ to }) => to <= this.state.doc.length);
    if (places.length === 0 && this.state.field(findingsField).size === 0) return;
    this.#view.dispatch({ effects: showFindings.of(places) });
  }

  /** Scrolls to a place. */
  reveal({ from, to }: TextSpan): void {
    if (to > this.state.doc.length) return;
    this.#view.dispatch({ effects: EditorView.scrollIntoView(EditorSelection.range(from, to), { y: "center" }) });
  }

  /** Calls `listener` when the text is scrolled. */
  onScroll(listener: () => void): () => void {
    this.#view.scrollDOM.addEventListener("scroll", listener);
    return () => this.#view.scrollDOM.removeEventListener("scroll", listener);
  }

  /** Where the selection begins and ends in the window; null where neither is laid out, or nothing can be changed. */
  selectionEnds(): SelectionEnds | null {
    if (this.state.readOnly) return null;
    const { from, to } = this.state.selection.main;
    const start = this.#view.coordsAtPos(from, 1);
    const end = this.#view.coordsAtPos(to, -1);
    const first = start ?? end;
    const last = end ?? start;
    return first && last && { start: first, end: last };
  }

  /** `labels`: of each span in order; null for the default. */
  showLabels(labels: readonly (string | null)[], rank: (label: string | null) => number): void {
    this.#view.dispatch({ effects: showLabels.of({ labels, rank }) });
  }

  /** The span at the cursor, or all that the selection reaches into; at most `most`. */
  spansHere(most = Number.POSITIVE_INFINITY): TextSpan[] {
    return spansAt(this.state, most);
  }

  /** Shows what an eavesdropper sees, in place of the text; nothing can be changed then. */
  eavesdrop(on: boolean): void {
    this.showPlaces([], -1);
    if (on) this.underline([]);
    this.#view.dispatch({ effects: this.#sight.reconfigure(on ? WITHHELD : SHOWN) });
  }

  #replaceDocument(text: TransactionSpec): void {
    this.#view.dispatch({ effects: this.#since.reconfigure([]) });
    this.#view.dispatch(text);
    this.#view.dispatch({ effects: this.#since.reconfigure([history(), keepingLineEnds()]) });
  }

  /** The key is taken also where no edge can move: the page has no other use for it. */
  #move(move: (state: EditorState) => TransactionSpec | null): boolean {
    const moved = this.state.facet(EditorView.editable) ? move(this.state) : null;
    if (moved) this.#view.dispatch(moved);
    return true;
  }

  #word(pos: number): TextSpan | null {
    const line = this.state.doc.lineAt(pos);
    const word = wordAt(line.text, pos - line.from);
    return word && { from: line.from + word.from, to: line.from + word.to };
  }

  /** Redraws the page a moment later, so that the frame that shows a key does not wait for it. */
  #tellSoon(): void {
    this.#telling ??= window.setTimeout(() => {
      this.#telling = null;
      this.#status = statusOf(this.state);
      for (const listener of [...this.#listeners]) listener();
    }, MOMENT_MS);
  }
}

/** At the cursor, or where the selection reaches into. */
function spansAt(state: EditorState, most: number): TextSpan[] {
  const { main } = state.selection;
  return main.empty ? [spanAt(state.field(spansField), main.head) ?? []].flat() : spansIn(state, main, most);
}

function statusOf(state: EditorState): LongTextEditorStatus {
  const { main } = state.selection;
  const spans = state.field(spansField);
  const line = state.doc.lineAt(main.head);
  return {
    line: line.number,
    column: [...line.text.slice(0, Math.min(main.head - line.from, MOST_COUNTED))].length + 1,
    lines: state.doc.lines,
    spans: spans.size,
    selected: main.to - main.from,
    some: spansAt(state, 1).length > 0,
    fits: fitToSelection(state) !== null,
    marked: main.empty ? spanAt(spans, main.head) !== null : isClassified(spans, main.from, main.to),
    typesClassified: typesClassified(state),
    canUndo: undoDepth(state) > 0,
    canRedo: redoDepth(state) > 0,
  };
}

const MOMENT_MS = 30;
/** In a line of a million characters the column is not exact. */
const MOST_COUNTED = 100_000;

// --- looks -----------------------------------------------------------------------------------------------------------

class Withheld extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override toDOM(): HTMLElement {
    const withheld = document.createElement("span");
    withheld.className = "withheld";
    withheld.setAttribute("role", "img");
    withheld.setAttribute("aria-label", t`withheld`);
    return withheld;
  }
}

/**
 * Shows the spans. While an input method composes text, marks only move: a new mark around that text would make the
 * browser end the composition, and CodeMirror prevents that only in lines without CR.
 */
const shownSpans = ViewPlugin.define(
  (view) => ({
    spans: view.state.field(spansField),
    update({ view, state, changes }) {
      this.spans = view.composing ? this.spans.map(changes) : state.field(spansField);
    },
  }),
  {
    decorations: ({ spans }) => spans,
    eventHandlers: {
      compositionend(_event, view) {
        setTimeout(() => view.dispatch({}));
      },
    },
  },
);

const SHOWN: Extension = [shownSpans, edgeHandles()];

/** One marker of constant width for each run of touching spans: its width does not reveal how much is withheld. */
const WITHHELD: Extension = [
  EditorView.editable.of(false),
  // CodeMirror's commands check this one.
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ "aria-readonly": "true" }),
  StateField.define<DecorationSet>({
    create: (state) => withheldIn(state),
    update: (before, tr) =>
      tr.docChanged || tr.state.field(spansField) !== tr.startState.field(spansField) ? withheldIn(tr.state) : before,
    provide: (field) => EditorView.decorations.from(field),
  }),
  EditorView.editorAttributes.of({ class: "eavesdropped" }),
];

function withheldIn(state: EditorState): DecorationSet {
  const runs: { from: number; to: number }[] = [];
  for (const { from, to } of ranges(state.field(spansField))) {
    const last = runs.at(-1);
    if (last && last.to === from) last.to = to;
    else runs.push({ from, to });
  }
  const widget = Decoration.replace({ widget: new Withheld() });
  return Decoration.set(runs.map(({ from, to }) => widget.range(from, to)));
}
