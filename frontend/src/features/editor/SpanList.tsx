import { useVirtualizer } from "@tanstack/react-virtual";
import { useEditorState } from "@tiptap/react";
import { LockOpen } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { IconButton } from "@/components/ui/IconButton";
import { spanIdAt } from "@/editor/place";
import type { Span } from "@/editor/queries";
import { cx } from "@/lib/cx";
import { sizeText } from "@/lib/sizes";
import { useWorkbench } from "./workbench";

const ROW_PX = 60;

/** The spans in order; only those in view are drawn. Up and Down go from one to the next. */
export function SpanList({ spans, onJump }: { spans: readonly Span[]; onJump: (span: Span) => void }) {
  const { editor } = useWorkbench();
  const scroller = useRef<HTMLDivElement>(null);
  const here = useEditorState({
    editor,
    selector: (now) => spanIdAt(now.editor.state.doc, now.editor.state.selection.head),
  });
  const [chosen, setChosen] = useState(0);
  const stop = Math.min(chosen, spans.length - 1);
  const rows = useVirtualizer({
    count: spans.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 4,
    getItemKey: (index) => spans[index]?.id ?? index,
  });
  const moved = useRef(false);

  const go = (index: number) => {
    const to = Math.max(0, Math.min(spans.length - 1, index));
    setChosen(to);
    moved.current = true;
    rows.scrollToIndex(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: stop + 1, ArrowUp: stop - 1, Home: 0, End: spans.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  const drawn = rows.getVirtualItems();
  useEffect(() => {
    if (!moved.current || drawn.length === 0) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${stop}"] button`);
    if (!button) return;
    moved.current = false;
    button.focus({ preventScroll: true });
  });

  return (
    <div ref={scroller} className="-mx-2 max-h-full min-h-0 overflow-y-auto">
      <ul aria-label="Classified spans" className="relative" style={{ height: rows.getTotalSize() }}>
        {drawn.map(({ index, key, start }) => {
          const span = spans[index];
          return (
            span && (
              <li
                key={key}
                data-index={index}
                aria-setsize={spans.length}
                aria-posinset={index + 1}
                aria-current={span.id === here || undefined}
                className={cx(
                  "group absolute inset-x-0 flex items-center gap-1 rounded-md pr-1 hover:bg-ink/5",
                  span.id === here && "bg-secure-ground",
                )}
                style={{ height: ROW_PX, translate: `0 ${start}px` }}
              >
                <button
                  type="button"
                  tabIndex={index === stop ? 0 : -1}
                  onFocus={() => setChosen(index)}
                  onKeyDown={onKeyDown}
                  onClick={() => onJump(span)}
                  className="flex h-full min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left focus-visible:-outline-offset-2"
                >
                  <span className="w-full truncate font-serif">{span.excerpt || "(white space)"}</span>
                  <span className="text-quiet text-xs">
                    Line {span.line.toLocaleString("en")} · {sizeText(span.bytes)}
                  </span>
                </button>
                <IconButton
                  label={`Unmark “${short(span.excerpt)}”`}
                  icon={<LockOpen />}
                  size="sm"
                  side="left"
                  onKeyDown={onKeyDown}
                  tabIndex={index === stop ? 0 : -1}
                  onClick={() => {
                    editor.chain().selectSpan(span.id).unmarkClassified().run();
                    if (spans.length > 1) go(Math.min(index, spans.length - 2));
                  }}
                />
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function short(excerpt: string): string {
  return excerpt.length > 30 ? `${excerpt.slice(0, 29).trimEnd()}…` : excerpt;
}
