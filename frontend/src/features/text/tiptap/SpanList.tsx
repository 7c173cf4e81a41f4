import { useVirtualizer } from "@tanstack/react-virtual";
import { closeHistory } from "@tiptap/pm/history";
import { useEditorState } from "@tiptap/react";
import { LockOpen } from "lucide-react";
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "@/components/ui/IconButton";
import { cx } from "@/lib/cx";
import { sizeText } from "@/lib/sizes";
import { ClassifyStep } from "./engine/classify-step";
import { spanIdAt } from "./engine/place";
import type { Span } from "./engine/queries";
import { useLabels } from "./labels";
import { labelOf } from "./TextLabelMenu";
import { useWorkbench } from "./workbench";

const ROW_PX = 60;

interface SpanListProps {
  spans: readonly Span[];
  /** Nothing can be unmarked. */
  readOnly: boolean;
  onJump: (span: Span) => void;
}

/** The spans in order; only those in view are drawn. Up and Down go from one to the next. */
export function SpanList({ spans, readOnly, onJump }: SpanListProps) {
  const { editor } = useWorkbench();
  const labels = useLabels();
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
  });
  const moved = useRef(false);

  const go = (index: number) => {
    const to = Math.max(0, Math.min(spans.length - 1, index));
    setChosen(to);
    moved.current = true;
    rows.scrollToIndex(to);
  };
  const now = useRef({ go, stop, spans, onJump });
  useLayoutEffect(() => {
    now.current = { go, stop, spans, onJump };
  });
  // The same for all rows and all time, so that a row is drawn anew only when it shows something else.
  const [deeds] = useState<Deeds>(() => ({
    focus: (index) => setChosen(index),
    jump: (index) => {
      const span = now.current.spans[index];
      if (span) now.current.onJump(span);
    },
    unmark: (index) => {
      const { spans: all } = now.current;
      const span = all[index];
      if (!span) return;
      // The cursor stays where it is.
      const { tr } = editor.state;
      editor.view.dispatch(closeHistory(tr.step(new ClassifyStep([{ from: span.from, to: span.to, span: null }]))));
      if (all.length > 1) now.current.go(Math.min(index, all.length - 2));
    },
    key: (event) => {
      const to = { ArrowDown: now.current.stop + 1, ArrowUp: now.current.stop - 1, Home: 0, End: Infinity }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      now.current.go(to);
    },
  }));
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
              <SpanRow
                key={key}
                id={span.id}
                excerpt={span.excerpt}
                line={span.line}
                bytes={span.bytes}
                label={labels && labelOf(labels, span.id)}
                index={index}
                count={spans.length}
                start={start}
                isHere={span.id === here}
                isStop={index === stop}
                readOnly={readOnly}
                deeds={deeds}
              />
            )
          );
        })}
      </ul>
    </div>
  );
}

interface Deeds {
  focus: (index: number) => void;
  jump: (index: number) => void;
  unmark: (index: number) => void;
  key: (event: KeyboardEvent) => void;
}

interface SpanRowProps extends Pick<Span, "id" | "excerpt" | "line" | "bytes"> {
  /** Null where there are no labels. */
  label: string | null;
  index: number;
  count: number;
  start: number;
  /** The cursor is in it. */
  isHere: boolean;
  /** Tab leads to it. */
  isStop: boolean;
  readOnly: boolean;
  deeds: Deeds;
}

const SpanRow = memo(function SpanRow({ excerpt, line, bytes, label, index, deeds, ...row }: SpanRowProps) {
  const tabIndex = row.isStop ? 0 : -1;
  return (
    <li
      data-index={index}
      aria-setsize={row.count}
      aria-posinset={index + 1}
      aria-current={row.isHere || undefined}
      className={cx(
        "absolute inset-x-0 flex items-center gap-1 rounded-md pr-1 hover:bg-ink/5",
        row.isHere && "bg-secure-ground",
      )}
      style={{ height: ROW_PX, translate: `0 ${row.start}px` }}
    >
      <button
        type="button"
        tabIndex={tabIndex}
        onFocus={() => deeds.focus(index)}
        onKeyDown={deeds.key}
        onClick={() => deeds.jump(index)}
        className="flex h-full min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left focus-visible:-outline-offset-2"
      >
        <span className="w-full truncate font-serif">{excerpt || "(white space)"}</span>
        <span className="text-quiet text-xs">
          Line {line.toLocaleString("en")} · {sizeText(bytes)}
          {label !== null && <b className="font-medium text-secure"> · {label}</b>}
        </span>
      </button>
      <IconButton
        label={`Unmark “${short(excerpt)}”`}
        icon={<LockOpen />}
        size="sm"
        side="left"
        tabIndex={tabIndex}
        disabled={row.readOnly}
        onKeyDown={deeds.key}
        onClick={() => deeds.unmark(index)}
      />
    </li>
  );
});

function short(excerpt: string): string {
  return excerpt.length > 30 ? `${excerpt.slice(0, 29).trimEnd()}…` : excerpt;
}
