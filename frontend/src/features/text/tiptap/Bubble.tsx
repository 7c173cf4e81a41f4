import { t } from "@lingui/core/macro";
import type { Editor } from "@tiptap/core";
import { useEditorState } from "@tiptap/react";
import { Lock, LockKeyhole, LockOpen, UnfoldHorizontal } from "lucide-react";
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import {
  BubbleBox,
  BubbleButton,
  othersText,
  placeBubble,
  useHasFocus,
  useIsSelecting,
} from "@/features/workspace/panels/BubbleBox";
import { useOtherPlaces } from "@/features/workspace/panels/other-places";
import { fitSpan } from "./engine/edges";
import { textRange } from "./engine/insert";
import { piecesBetween } from "./engine/runs";
import { useOpenText, useWatched } from "./open-text";

/** After the selection rests. */
const PAUSE_MS = 60;

interface Chosen {
  readonly from: number;
  readonly to: number;
  readonly some: boolean;
  readonly all: boolean;
  /** It reaches into one span that begins or ends elsewhere. */
  readonly fits: boolean;
}

/** Buttons at the selection. They come after the text in the page, so that Tab leads to them. */
export function Bubble({ sheet }: { sheet: RefObject<HTMLElement | null> }) {
  const { editor, surface } = useOpenText();
  const box = useRef<HTMLFieldSetElement>(null);
  const selecting = useIsSelecting(sheet);
  const within = useHasFocus((node) => editor.view.dom.contains(node) || box.current?.contains(node) === true);
  const chosen = useEditorState({ editor, selector: chosenIn });
  const shown = chosen !== null && within && !selecting;
  const { doc } = useWatched();
  const others = useOtherPlaces(surface, shown ? chosen : null, PAUSE_MS, doc);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what it offers changes its width, and so its place
  useLayoutEffect(() => {
    if (!shown || !box.current || !sheet.current) return;
    const [start, end] = [editor.view.coordsAtPos(chosen.from), editor.view.coordsAtPos(chosen.to, -1)];
    placeBubble(box.current, sheet.current.getBoundingClientRect(), { start, end });
  }, [shown, chosen, editor, sheet, others.length]);

  if (!shown) return null;
  return (
    <BubbleBox ref={box}>
      {!chosen.all && (
        <Choice icon={<Lock aria-hidden className="text-secure" />} onClick={() => editor.commands.markClassified()}>
          {t`Mark`}
        </Choice>
      )}
      {chosen.some && (
        <Choice
          icon={<LockOpen aria-hidden className="text-plain" />}
          onClick={() => editor.commands.unmarkClassified()}
        >
          {t`Unmark`}
        </Choice>
      )}
      {chosen.fits && (
        <Choice
          icon={<UnfoldHorizontal aria-hidden className="text-secure" />}
          onClick={() => editor.commands.fitSpan()}
        >
          {t`Move edges here`}
        </Choice>
      )}
      {others.length > 0 && (
        <Choice
          icon={<LockKeyhole aria-hidden className="text-secure" />}
          onClick={() => surface.mark([...others, surface.selection()], "")}
        >
          {othersText(others.length)}
        </Choice>
      )}
    </BubbleBox>
  );
}

interface ChoiceProps {
  icon: ReactNode;
  onClick: () => void;
  children: string;
}

function Choice(props: ChoiceProps) {
  const { editor } = useOpenText();
  return <BubbleButton {...props} onBack={() => editor.commands.focus(null, { scrollIntoView: false })} />;
}

function chosenIn({ editor }: { editor: Editor | null }): Chosen | null {
  if (!editor || editor.state.selection.empty) return null;
  const { doc, selection } = editor.state;
  const { from, to } = textRange(doc, selection);
  const pieces = piecesBetween(doc, from, to);
  if (pieces.length === 0) return null;
  const some = pieces.some(({ span }) => span !== null);
  return {
    from,
    to,
    some,
    fits: some && fitSpan(editor.state),
    all: some && pieces.every(({ span }) => span !== null),
  };
}
