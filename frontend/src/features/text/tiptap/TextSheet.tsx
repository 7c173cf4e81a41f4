import { t } from "@lingui/core/macro";
import { useEditorState } from "@tiptap/react";
import { useEffect, useRef } from "react";
import { cx } from "@/lib/cx";
import { Bubble } from "./Bubble";
import { EdgeHandles } from "./EdgeHandles";
import { textBounds } from "./engine/runs";
import { useOpenText } from "./open-text";
import "./editor.css";

/** The sheet with the text. `bubble`: whether Mark and Unmark appear at a selection. */
export function TextSheet({ bubble, hidden, className }: { bubble: boolean; hidden: boolean; className?: string }) {
  const { editor } = useOpenText();
  const sheet = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const empty = useEditorState({
    editor,
    selector: (now) => {
      const { from, to } = textBounds(now.editor.state.doc);
      return from === to;
    },
  });

  useEffect(() => {
    const { current } = host;
    if (!current) return;
    editor.mount(current);
    keepReactOut(editor.view.dom);
    const { from, to } = textBounds(editor.state.doc);
    // There is nothing to read: one has come to write.
    if (from === to) editor.commands.focus();
    return () => editor.unmount();
  }, [editor]);

  return (
    <div ref={sheet} hidden={hidden} className={cx("sheet relative", className)}>
      {empty && (
        <div
          aria-hidden
          className="pointer-events-none absolute select-none font-serif text-[1.0625rem] text-quiet leading-[1.65]"
        >
          <p>{t`Write here, or paste text.`}</p>
          <p>{t`Then select what must stay secret, and press Mark.`}</p>
        </div>
      )}
      <div ref={host} />
      <EdgeHandles sheet={sheet} />
      {bubble && <Bubble sheet={sheet} />}
    </div>
  );
}

/**
 * Each time React changes something on the page it saves the selection of what has the focus, if that is editable, and
 * walks through all of its text for that: 30 ms for a megabyte, at each key. It never changes what is in here, so there
 * is nothing to save; it asks by this property, which says nothing now. Browsers go by the attribute.
 */
function keepReactOut(dom: HTMLElement): void {
  Object.defineProperty(dom, "contentEditable", {
    configurable: true,
    get: () => "inherit",
    set: (value: string) => dom.setAttribute("contenteditable", value),
  });
}
