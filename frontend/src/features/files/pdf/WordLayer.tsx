import { type PointerEvent, useRef } from "react";
import type { Range } from "../model/marks";
import { isMarked, type LaidWord, nearestWord, stretchOf } from "../model/page-layer";
import { widthAtHeight1 } from "./font-width";

interface WordLayerProps {
  address: string;
  laid: readonly LaidWord[];
  ranges: readonly Range[];
  /** Of the page, width by height. */
  ratio: number;
}

/**
 * The words of a page over its picture, each stretched to its box and seen only where it is marked. Browsers lose their
 * way among separately placed words, so the mouse selects the nearest word.
 */
export function WordLayer({ address, laid, ranges, ratio }: WordLayerProps) {
  const layer = useRef<HTMLDivElement>(null);
  const anchor = useRef<number | null>(null);

  const wordAt = ({ clientX, clientY }: PointerEvent) => {
    const box = layer.current?.getBoundingClientRect();
    if (!box || box.width === 0) return -1;
    return nearestWord(laid, (clientX - box.left) / box.width, (clientY - box.top) / box.height, ratio);
  };
  const select = (from: number, to: number) => {
    const leaves = layer.current?.children;
    const first = leaves?.[Math.min(from, to)];
    const last = leaves?.[Math.max(from, to)];
    if (first && last) document.getSelection()?.setBaseAndExtent(first, 0, last, last.childNodes.length);
  };
  const down = (event: PointerEvent) => {
    // A finger scrolls, and selects by the system's own handles.
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    const word = wordAt(event);
    if (word < 0) return;
    event.preventDefault();
    layer.current?.closest<HTMLElement>("[role=document]")?.focus({ preventScroll: true });
    layer.current?.setPointerCapture(event.pointerId);
    if (!event.shiftKey || anchor.current === null) anchor.current = word;
    select(anchor.current, word);
  };
  const move = (event: PointerEvent) => {
    if (anchor.current === null || !layer.current?.hasPointerCapture(event.pointerId)) return;
    select(anchor.current, wordAt(event));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: by keys, the region around it selects
    <div
      ref={layer}
      data-address={address}
      className="pdf-words"
      onPointerDown={down}
      onPointerMove={move}
      // Else the browser's own selecting begins beside it.
      onMouseDown={(event) => event.button === 0 && laid.length > 0 && event.preventDefault()}
    >
      {laid.map(({ word, text }) => (
        <span
          key={word.start}
          data-at={word.start}
          className={isMarked(word, ranges) ? "pdf-marked" : undefined}
          style={{
            left: `${word.x * 100}%`,
            top: `${word.y * 100}%`,
            fontSize: `${word.h * 100}cqh`,
            transform: `scaleX(${stretchOf(word, ratio, widthAtHeight1(text))})`,
          }}
        >
          {text}
        </span>
      ))}
    </div>
  );
}
