import { Toolbar } from "@base-ui/react/toolbar";
import type { Editor } from "@tiptap/core";
import { useEditorState } from "@tiptap/react";
import { Tag } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { announce } from "@/components/announce";
import { Menu, MenuItem } from "@/components/ui/Menu";
import { textRange } from "@/editor/insert";
import { spanIdAt } from "@/editor/place";
import { piecesBetween } from "@/editor/runs";
import { type Labels, useLabels } from "./labels";
import { Swatch } from "./Swatch";
import { KEYS, keyText } from "./shortcuts";
import { useWorkbench } from "./workbench";

/** The label of the span at the cursor, or of all that the selection reaches into. Nothing where there are no labels. */
export function LabelMenu({ small }: { small: boolean }) {
  const labels = useLabels();
  const { editor } = useWorkbench();
  const none = useEditorState({ editor, selector: (now) => spansHere(now.editor).length === 0 });
  const [open, setOpen] = useState(false);
  const byKey = useRef(false);
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const isOurs =
      (event.ctrlKey || event.metaKey) && event.shiftKey && !event.altKey && event.key.toLowerCase() === "l";
    if (!labels || !isOurs || event.defaultPrevented) return;
    event.preventDefault();
    if (spansHere(editor).length === 0) return announce("No classified span is here that could have a label.");
    byKey.current = true;
    setOpen(true);
  });
  useEffect(() => {
    const heard = (event: KeyboardEvent) => pressed(event);
    document.addEventListener("keydown", heard);
    return () => document.removeEventListener("keydown", heard);
  }, []);
  if (!labels) return null;
  const choose = (label: string | null) =>
    labels.change({ spans: new Map(spansHere(editor).map((span) => [span, label])) });
  return (
    <Menu
      align="start"
      side={small ? "top" : "bottom"}
      open={open}
      onOpenChange={(next) => {
        if (next) byKey.current = false;
        setOpen(next);
      }}
      // Who came from the text by key goes on there.
      finalFocus={() => (byKey.current ? editor.view.dom : true)}
      trigger={
        <Toolbar.Button
          aria-label="Label"
          aria-keyshortcuts={KEYS.label.replaceAll("-", "+").replace("Mod", "Control")}
          title={`Label the span at the cursor (${keyText(KEYS.label)})`}
          disabled={none}
          className="inline-flex h-10 w-10 shrink-0 items-center justify-center rounded-md border border-transparent text-ink data-disabled:cursor-not-allowed data-disabled:opacity-40 not-data-disabled:hover:bg-ink/8 [&_svg]:size-[1.125rem]"
        >
          <Tag aria-hidden />
        </Toolbar.Button>
      }
    >
      {labels.set.labels.map(({ name, colour }) => (
        <MenuItem key={name} icon={<Swatch colour={colour} />} onClick={() => choose(name)}>
          {name}
        </MenuItem>
      ))}
      <MenuItem icon={<Swatch colour={null} />} onClick={() => choose(null)}>
        As usual: {labels.set.default}
      </MenuItem>
    </Menu>
  );
}

/** The label of a span, the default where it has none of its own. */
export function labelOf({ bySpan, set }: Labels, span: number): string | null {
  return bySpan.get(span) ?? set.default;
}

function spansHere(editor: Editor | null): number[] {
  if (!editor) return [];
  const { doc, selection } = editor.state;
  if (selection.empty) {
    const here = spanIdAt(doc, selection.head);
    return here === null ? [] : [here];
  }
  const { from, to } = textRange(doc, selection);
  return [...new Set(piecesBetween(doc, from, to).flatMap(({ span }) => span ?? []))];
}
