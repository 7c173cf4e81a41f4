import { defaultRangeExtractor, measureElement, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type Ref, useCallback, useEffect, useEffectEvent, useImperativeHandle, useRef } from "react";
import { flushSync } from "react-dom";
import { cx } from "@/lib/cx";
import { BlockText } from "./BlockText";
import { drawnLines, lastWhere } from "./blocks";
import type { Found } from "./find";
import type { ReaderDocument } from "./reader-document";
import { reveal } from "./reveal";
import { useCopying } from "./use-copying";
import { useElementPosition } from "./use-element-position";
import { useKeptSelection } from "./use-kept-selection";
import { usePrinting } from "./use-printing";
import "./reader.css";

/** A document of up to this many blocks is drawn completely, for the browser's own search and for screen readers. */
const ALL_DRAWN = 120;
const LINE_PX = 28;
const CHARACTER_PX = 8;

/** The current hit or span, by index. `turn` grows with each move. */
export interface Target {
  readonly kind: "hit" | "span";
  readonly index: number;
  readonly turn: number;
}

export interface SheetHandle {
  /** The offset of the first text in view. */
  reading: () => number;
  selectAll: () => void;
}

interface SheetProps {
  opened: ReaderDocument;
  /** Which part of the document, if it has several. */
  part: number;
  found: Found;
  target: Target | null;
  name: string;
  handle: Ref<SheetHandle>;
}

/** The document on a sheet. Draws the visible blocks and leaves space for the others. */
export function Sheet({ opened, part, found, target, name, handle }: SheetProps) {
  const sheet = useRef<HTMLDivElement>(null);
  const { top, width } = useElementPosition(sheet);
  const printing = usePrinting();
  const [kept, keep] = useKeptSelection(sheet);
  useCopying(sheet, opened);

  const { blocks, parts } = opened;
  const first = printing ? 0 : (parts[part] ?? 0);
  const count = (printing ? blocks.length : (parts[part + 1] ?? blocks.length)) - first;
  const whole = printing || count <= ALL_DRAWN;
  const perLine = Math.max(20, Math.floor((width || 640) / CHARACTER_PX));
  const estimate = (row: number) => {
    const block = blocks[first + row];
    return block ? drawnLines(block, perLine) * LINE_PX : 0;
  };
  const rows = useWindowVirtualizer<HTMLDivElement>({
    count,
    estimateSize: estimate,
    // A hidden page gives rows no height; using that would draw all of them.
    measureElement: (row, entry, instance) =>
      measureElement(row, entry, instance) || estimate(instance.indexFromElement(row)),
    getItemKey: useCallback((row: number) => first + row, [first]),
    overscan: 3,
    indexAttribute: "data-row",
    scrollMargin: top,
    rangeExtractor: useCallback(
      (range: Range) => {
        if (whole) return Array.from({ length: range.count }, (_, row) => row);
        const near = defaultRangeExtractor(range);
        const far = kept.map((block) => block - first).filter((row) => row >= 0 && row < range.count);
        return [...new Set([...near, ...far])].sort((one, other) => one - other);
      },
      [whole, kept, first],
    ),
  });

  const offset = target && (target.kind === "hit" ? found.hits : opened.spans)[target.index]?.from;
  const targetBlock = offset == null ? -1 : lastWhere(blocks, ({ from }) => from <= offset);
  const approach = useEffectEvent(() => {
    const [at] = rows.getOffsetForIndex(targetBlock - first, "start") ?? [0];
    window.scrollTo({ top: at - window.innerHeight / 3, behavior: "instant" });
  });
  useEffect(() => {
    if (target === null) return;
    const mark = target.kind === "hit" ? ".found[data-current]" : "[data-selected]";
    const place = `[data-index="${targetBlock}"] ${mark}`;
    return reveal(() => sheet.current?.querySelector(place) ?? null, approach);
    // Reveals each target once; `found` is final before the target is set.
  }, [target, targetBlock]);

  useImperativeHandle(handle, () => ({
    reading: () => {
      const above = rows.getVirtualItemForOffset(window.scrollY + window.innerHeight / 6);
      return blocks[first + (above?.index ?? 0)]?.from ?? 0;
    },
    selectAll: () => {
      flushSync(() => keep([first, first + count - 1]));
      const drawn = sheet.current?.querySelectorAll("[data-index]");
      const last = drawn?.[drawn.length - 1];
      if (drawn?.[0] && last) getSelection()?.setBaseAndExtent(drawn[0], 0, last, last.childNodes.length);
    },
  }));

  let end = top;
  return (
    <article aria-label={name} className="sheet">
      <div ref={sheet} className="document reader-text">
        {rows.getVirtualItems().map((row) => {
          const block = blocks[first + row.index];
          if (!block) return null;
          const room = row.start - end;
          end = row.end;
          const here = first + row.index === targetBlock;
          return (
            <div
              key={row.key}
              ref={printing ? undefined : rows.measureElement}
              data-index={first + row.index}
              data-row={row.index}
              className={cx(block.continues && "continues")}
              style={whole || room === 0 ? undefined : { marginTop: room }}
            >
              <BlockText
                opened={opened}
                block={block}
                found={found}
                hit={target?.kind === "hit" && here ? target.index : -1}
                span={target?.kind === "span" ? target.index : -1}
              />
            </div>
          );
        })}
        {!whole && <div aria-hidden style={{ height: Math.max(0, top + rows.getTotalSize() - end) }} />}
      </div>
    </article>
  );
}
