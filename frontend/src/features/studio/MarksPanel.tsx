import { useVirtualizer } from "@tanstack/react-virtual";
import { Lock, LockOpen } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { FileDraft, Format } from "@/api/files";
import { IconButton } from "@/components/ui/IconButton";
import { ShareSummary } from "../editor/ShareSummary";
import { useSaveState } from "../editor/saving";
import { FindingsPanel } from "./FindingsPanel";
import { type Listed, listed } from "./model/listing";
import { type Jump, useMarks, useStudio } from "./studio";
import { useUnits } from "./units-store";

const ROW_PX = 60;

/** How much of the file travels classified, and what is marked of it. */
export function MarksPanel({ draft, onJump }: { draft: FileDraft; onJump: Jump }) {
  const studio = useStudio();
  const { marks } = useMarks();
  const { units } = useUnits(studio.units);
  // biome-ignore lint/correctness/useExhaustiveDependencies: excerpts are of the units that are there
  const items = useMemo(() => listed(studio.format, marks, studio.units.unit), [studio, marks, units.length]);
  return (
    <div className="flex max-h-full min-h-0 flex-col gap-4">
      <Share draft={draft} />
      <FindingsPanel draft={draft} onJump={onJump} />
      <div className="flex items-baseline justify-between border-line border-t pt-4">
        <h2 className="font-medium text-sm">Marks</h2>
        <span data-marks className="text-quiet text-sm">
          {marks.length.toLocaleString("en")}
        </span>
      </div>
      {items.length === 0 ? <HowToMark format={studio.format} /> : <MarkList items={items} onJump={onJump} />}
    </div>
  );
}

/** What the last save came to; while a newer one is on its way, that is said. */
function Share({ draft }: { draft: FileDraft }) {
  const { is } = useSaveState().phase;
  const counting = is === "changed" || is === "saving" || is === "looking";
  const { document_bytes, classified_bytes, plain_bytes } = draft;
  return (
    <div
      aria-busy={counting || undefined}
      className={counting ? "opacity-60 transition-opacity" : "transition-opacity"}
    >
      <ShareSummary
        counts={{
          proportion: document_bytes === 0 ? 0 : classified_bytes / document_bytes,
          documentBytes: document_bytes,
          classifiedBytes: classified_bytes,
          plainBytes: plain_bytes,
          spans: draft.marks ?? 0,
        }}
      />
    </div>
  );
}

function MarkList({ items, onJump }: { items: readonly Listed[]; onJump: Jump }) {
  const studio = useStudio();
  const scroller = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(0);
  const stop = Math.min(chosen, items.length - 1);
  const moved = useRef(false);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 4,
  });
  const go = (index: number) => {
    const to = Math.max(0, Math.min(items.length - 1, index));
    setChosen(to);
    moved.current = true;
    rows.scrollToIndex(to);
  };
  const key = (event: KeyboardEvent) => {
    const to = { ArrowDown: stop + 1, ArrowUp: stop - 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  useEffect(() => {
    if (!moved.current) return;
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${stop}"] button`);
    if (!button) return;
    moved.current = false;
    button.focus({ preventScroll: true });
  });

  return (
    <div ref={scroller} className="-mx-2 max-h-full min-h-0 overflow-y-auto">
      <ul aria-label="Marks" className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const item = items[index];
          const [mark] = item?.marks ?? [];
          if (!item || !mark) return null;
          const tabIndex = index === stop ? 0 : -1;
          return (
            <li
              key={`${mark.address} ${mark.start} ${mark.rule}`}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 flex items-center gap-1 rounded-md pr-1 hover:bg-ink/5"
              style={{ height: ROW_PX, translate: `0 ${start}px` }}
            >
              <button
                type="button"
                tabIndex={tabIndex}
                onFocus={() => setChosen(index)}
                onKeyDown={key}
                onClick={() => onJump(mark.address, mark.start, mark.end)}
                className="flex h-full min-w-0 flex-1 flex-col justify-center rounded-md px-2 text-left focus-visible:-outline-offset-2"
              >
                <span className={item.excerpt ? "w-full truncate font-serif" : "w-full truncate"}>
                  {item.excerpt || item.where}
                </span>
                <span className="w-full truncate text-quiet text-xs">{noteOf(item)}</span>
              </button>
              <IconButton
                label={`Unmark ${item.where}`}
                icon={<LockOpen />}
                size="sm"
                side="left"
                tabIndex={tabIndex}
                onKeyDown={key}
                onClick={() => {
                  studio.unmark(item.marks, item.where);
                  if (items.length > 1) go(Math.min(index, items.length - 2));
                }}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function noteOf({ excerpt, where, marks: [mark] }: Listed): string {
  const whole = mark?.start === null && excerpt ? ", all of it" : "";
  const rule = mark?.rule ? `by ${mark.rule}` : "";
  return [excerpt ? `${where}${whole}` : "", rule, mark?.reason ?? ""].filter(Boolean).join(" · ");
}

const HOW: Readonly<Record<Format, string>> = {
  text: "Select what must stay secret and press Mark.",
  docx: "Select what must stay secret and press Mark; the lock beside a paragraph marks all of it.",
  xlsx: "Choose cells, or the head of a column or a row, and press Mark.",
  csv: "Choose the head of a column or a row, or cells, and press Mark.",
  tsv: "Choose the head of a column or a row, or cells, and press Mark.",
  jsonl: "Choose the head of a column or a row, or cells, and press Mark.",
  pdf: "Select text on a page, or choose a whole page, and press Mark.",
  bytes: "Classify all of it, or say which bytes.",
};

function HowToMark({ format }: { format: Format }) {
  return (
    <div className="flex gap-3 rounded-md border border-edge/50 border-dashed px-4 py-3 text-quiet text-sm">
      <Lock aria-hidden className="mt-0.5 size-4 shrink-0 text-secure" />
      <p>Nothing is marked yet, so all of it would travel readable. {HOW[format]}</p>
    </div>
  );
}
