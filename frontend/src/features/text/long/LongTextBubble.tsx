import { t } from "@lingui/core/macro";
import { Lock, LockKeyhole, LockOpen, UnfoldHorizontal } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import {
  BubbleBox,
  BubbleButton,
  othersText,
  placeBubble,
  useHasFocus,
  useIsSelecting,
} from "@/features/workspace/panels/BubbleBox";
import { useOtherPlaces } from "@/features/workspace/panels/other-places";
import type { TextSurface } from "@/features/workspace/panels/surface";
import type { LongTextEditor } from "./engine/editor";

/** A long text is searched once the selection rests. */
const PAUSE_MS = 250;

interface LongTextBubbleProps {
  editor: LongTextEditor;
  surface: TextSurface;
  /** What the bubble is in, with the text. */
  root: RefObject<HTMLElement | null>;
}

/** Buttons at the selection in a long text. They come after the text in the page, so that Tab leads to them. */
export function LongTextBubble({ editor, surface, root }: LongTextBubbleProps) {
  const box = useRef<HTMLFieldSetElement>(null);
  const status = useSyncExternalStore(editor.subscribe, editor.status);
  const selecting = useIsSelecting(root);
  const within = useHasFocus((node) => root.current?.contains(node) === true);
  const chosen = within && status.selected > 0 ? status : null;
  const shown = chosen !== null && !selecting;
  const others = useOtherPlaces(surface, shown ? chosen : null, PAUSE_MS);

  const place = () => {
    if (!box.current || !root.current) return;
    const ends = editor.selectionEnds();
    const paper = root.current.getBoundingClientRect();
    const isInView = ends !== null && ends.end.bottom > paper.top && ends.start.top < paper.bottom;
    box.current.style.visibility = isInView ? "" : "hidden";
    if (isInView) placeBubble(box.current, paper, ends, paper.top);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it offers changes its width, and so its place
  useLayoutEffect(place, [shown, chosen, others.length]);
  const scrolled = useEffectEvent(place);
  useEffect(() => editor.onScroll(() => scrolled()), [editor]);

  if (!shown) return null;
  const back = () => editor.focus();
  const here = () => surface.selection();
  return (
    <BubbleBox ref={box}>
      {!chosen.marked && (
        <BubbleButton
          icon={<Lock aria-hidden className="text-secure" />}
          onClick={() => editor.mark([here()])}
          onBack={back}
        >
          {t`Mark`}
        </BubbleButton>
      )}
      {chosen.some && (
        <BubbleButton
          icon={<LockOpen aria-hidden className="text-plain" />}
          onClick={() => editor.unmark([here()])}
          onBack={back}
        >
          {t`Unmark`}
        </BubbleButton>
      )}
      {chosen.fits && (
        <BubbleButton
          icon={<UnfoldHorizontal aria-hidden className="text-secure" />}
          onClick={() => editor.fit()}
          onBack={back}
        >
          {t`Move edges here`}
        </BubbleButton>
      )}
      {others.length > 0 && (
        <BubbleButton
          icon={<LockKeyhole aria-hidden className="text-secure" />}
          onClick={() => surface.mark([...others, here()], "")}
          onBack={back}
        >
          {othersText(others.length)}
        </BubbleButton>
      )}
    </BubbleBox>
  );
}
