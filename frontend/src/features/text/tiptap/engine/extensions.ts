/** The extensions of an editor for classified text. */

import { type AnyExtension, type Content as EditorContent, Extension } from "@tiptap/core";
import { Dropcursor, UndoRedo } from "@tiptap/extensions";
import { KEYS } from "@/features/workspace/shell/shortcuts";
import { CLASS } from "@/marked-text/class-names";
import type { Edge } from "@/marked-text/edge-steps";
import type { TextSpan } from "@/marked-text/markup";
import { markPlaces, unmarkPlaces } from "./bulk";
import { clipboard } from "./clipboard";
import * as commands from "./commands";
import { cursorMemory } from "./cursor-memory";
import { edgePreview } from "./edge-preview";
import { fitSpan, growSpan, moveEdge, shrinkSpan } from "./edges";
import { highlights } from "./highlights";
import { load } from "./load";
import { rebalancing } from "./rebalance";
import { schemaExtensions } from "./schema/schema";
import { spanLabels } from "./span-labels";
import { deleteBackward, deleteForward, enter } from "./text-commands";
import { typing } from "./typing";
import { typingGuard } from "./typing-guard";

declare module "@tiptap/core" {
  interface Commands<ReturnType> {
    classification: {
      /** Classifies the selection, or the word at the cursor. */
      markClassified: () => ReturnType;
      /** Unmarks the selection, or the span at the cursor. */
      unmarkClassified: () => ReturnType;
      /** Unmarks if all of it is classified, else marks. */
      toggleClassified: () => ReturnType;
      /** Classifies all these ranges in one step. */
      markRanges: (ranges: readonly commands.Range[]) => ReturnType;
      /** Classifies these places of the text, or makes them plain, in one step. */
      markPlaces: (places: readonly TextSpan[]) => ReturnType;
      unmarkPlaces: (places: readonly TextSpan[]) => ReturnType;
      /** Has the span that the selection reaches into begin and end with the selection. */
      fitSpan: () => ReturnType;
      /** Moves an edge of the span to a position, or as near to it as it may go. */
      moveEdge: (id: number, edge: Edge, position: number) => ReturnType;
      selectSpan: (id: number) => ReturnType;
      nextSpan: () => ReturnType;
      previousSpan: () => ReturnType;
    };
  }
}

const Classification = Extension.create({
  name: "classification",
  // Before TipTap's own keys and clipboard.
  priority: 1000,

  addCommands() {
    return {
      markClassified: () => (props) => commands.mark(props.state, props.dispatch),
      unmarkClassified: () => (props) => commands.unmark(props.state, props.dispatch),
      toggleClassified: () => (props) => commands.toggle(props.state, props.dispatch),
      markRanges: (ranges) => (props) => commands.markRanges(ranges)(props.state, props.dispatch),
      markPlaces: (places) => (props) => markPlaces(places)(props.state, props.dispatch),
      unmarkPlaces: (places) => (props) => unmarkPlaces(places)(props.state, props.dispatch),
      fitSpan: () => (props) => fitSpan(props.state, props.dispatch),
      moveEdge: (id, edge, position) => (props) => moveEdge(id, edge, position)(props.state, props.dispatch),
      selectSpan: (id) => (props) => commands.selectSpan(id)(props.state, props.dispatch),
      nextSpan: () => (props) => commands.nextSpan(props.state, props.dispatch),
      previousSpan: () => (props) => commands.previousSpan(props.state, props.dispatch),
    };
  },

  addKeyboardShortcuts() {
    const key = (command: typeof enter) => () => {
      const { state, view } = this.editor;
      return view.editable && command(state, view.dispatch);
    };
    // Also where there is no span: the key does nothing else there.
    const edge = (command: typeof enter) => () => {
      key(command)();
      return true;
    };
    const backward = key(deleteBackward);
    const forward = key(deleteForward);
    return {
      Enter: key(enter),
      "Shift-Enter": key(enter),
      Backspace: backward,
      "Shift-Backspace": backward,
      "Mod-Backspace": backward,
      "Ctrl-Backspace": backward,
      "Alt-Backspace": backward,
      Delete: forward,
      "Mod-Delete": forward,
      "Ctrl-Delete": forward,
      "Alt-Delete": forward,
      [KEYS.mark]: key(commands.toggle),
      [KEYS.grow]: edge(growSpan("word")),
      [KEYS.shrink]: edge(shrinkSpan("word")),
      [KEYS.growCharacter]: edge(growSpan("character")),
      [KEYS.shrinkCharacter]: edge(shrinkSpan("character")),
      [KEYS.fit]: edge(fitSpan),
      [KEYS.nextSpan]: () => this.editor.commands.nextSpan(),
      [KEYS.previousSpan]: () => this.editor.commands.previousSpan(),
    };
  },

  addProseMirrorPlugins() {
    return [
      cursorMemory(),
      typing(),
      clipboard(),
      typingGuard(),
      rebalancing(),
      highlights(),
      edgePreview(),
      spanLabels(),
    ];
  },
});

/**
 * Everything that an editor of this document needs; give it no `content` of its own, and `injectCSS: false`. TipTap
 * would make an empty document of content that it cannot read, so the document is built here, and creating the editor
 * throws what `load` throws.
 */
export function extensions(marked: string): AnyExtension[] {
  const Content = Extension.create({
    name: "content",
    onBeforeCreate() {
      // A node is taken as it is, though the type says nothing of it.
      this.editor.options.content = load(marked, this.editor.schema) as unknown as EditorContent;
    },
  });
  return [
    ...schemaExtensions,
    Content,
    Classification,
    UndoRedo,
    Dropcursor.configure({ color: false, width: 2, class: CLASS.dropCursor }),
  ];
}
