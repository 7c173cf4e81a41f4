import { t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { measureElement, useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { pageWordsQuery } from "@/api/file-source";
import { type Segment, SegmentedControl } from "@/components/ui/SegmentedControl";
import { showArea } from "../areas/show-area";
import { FileBubble, selectionEnds } from "../FileBubble";
import { TextCaret } from "../TextCaret";
import { useHighlightedText } from "../use-highlighted";
import { useTextChoice } from "../use-text-choice";
import { focusText, showUnit } from "../use-text-jump";
import { useViewedFile } from "../viewed-file";
import { BesidePages } from "./BesidePages";
import { PagesPanel } from "./PagesPanel";
import { HEAD_PX, PdfPage } from "./PdfPage";
import { WithheldPagesNotice } from "./WithheldPagesNotice";
import "../files.css";

const GAP_PX = 32;
const A4: readonly number[] = [595, 842];

type Zoom = "fit" | "150" | "250";

const ZOOMS: readonly Segment<Zoom>[] = [
  { value: "fit", label: t`Fit` },
  { value: "150", label: "150 %" },
  { value: "250", label: "250 %" },
];

/** Pages as images with their text over them; content outside the pages follows the last one. */
export function PdfView() {
  const file = useViewedFile();
  const client = useQueryClient();
  const { source, outline } = file;
  const pages = outline.pages ?? 0;
  const sizes = outline.page_sizes ?? [];
  const root = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ width: 0, top: 0 });
  const [zoom, setZoom] = useState<Zoom>("fit");
  const scale = zoom === "fit" ? 1 : Number(zoom) / 100;
  useEffect(() => file.units.start(), [file]);
  useHighlightedText(root);
  useTextChoice(
    root,
    (address) => {
      const page = Number(address.slice("page/".length));
      return client.getQueryData(pageWordsQuery(source, page).queryKey)?.text ?? null;
    },
    true,
  );

  useLayoutEffect(() => {
    const { current } = root;
    if (!current) return;
    const measure = () => {
      const { top } = current.getBoundingClientRect();
      setPlace({ width: current.clientWidth, top: top + window.scrollY });
    };
    measure();
    const watching = new ResizeObserver(measure);
    watching.observe(current);
    return () => watching.disconnect();
  }, []);

  const heightOf = (index: number) => {
    const [width = 595, height = 842] = sizes[index] ?? A4;
    return Math.round(HEAD_PX + place.width * scale * (height / width) + GAP_PX);
  };
  const list = useWindowVirtualizer({
    count: pages,
    estimateSize: heightOf,
    // What marks areas makes a page higher. Where nothing is laid out, pages have no height.
    measureElement: (page, entry, instance) =>
      measureElement(page, entry, instance) || heightOf(instance.indexFromElement(page)),
    overscan: 1,
    scrollMargin: place.top,
    scrollPaddingStart: 128,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pages have other heights then
  useLayoutEffect(() => list.measure(), [list, place.width, scale]);

  useEffect(() => {
    file.jump = (address, start, end, focus) => {
      if (showArea(root.current, address, focus)) return;
      const page = Number(/^page\/(\d+)/.exec(address)?.[1]);
      const within = /^page\/\d+$/.test(address);
      if (!within) {
        if (showUnit(document.querySelector("[data-beside]"), address, start, end, focus)) return;
        if (!page) return;
      }
      list.scrollToIndex(page - 1, { align: "start" });
      // Once it is drawn, and its words have come.
      void client
        .ensureQueryData(pageWordsQuery(source, page))
        .catch(() => null)
        .then(() =>
          requestAnimationFrame(() => {
            if (!within) showArea(root.current, address, focus);
            else if (start !== null) showUnit(root.current, address, start, end, focus);
          }),
        );
    };
    return () => {
      file.jump = () => {};
    };
  }, [file, list, client, source]);

  return (
    <div className="mx-auto flex w-full max-w-[52rem] flex-col gap-6">
      {file.marking && <WithheldPagesNotice />}
      <PagesPanel pages={pages} onPage={(page) => file.jump(`page/${page}`, null, null)}>
        <SegmentedControl<Zoom> label={t`Page size`} value={zoom} onValueChange={setZoom} segments={ZOOMS} />
      </PagesPanel>
      <div ref={root} className="relative" style={{ height: list.getTotalSize() }}>
        <TextCaret root={root} />
        <FileBubble root={root} ends={() => selectionEnds(root.current)} onBack={() => focusText(root.current)} />
        {place.width > 0 &&
          list.getVirtualItems().map(({ index, key, start }) => {
            const [width = 595, height = 842] = sizes[index] ?? A4;
            return (
              <div
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="absolute inset-x-0"
                style={{ paddingBottom: GAP_PX, translate: `0 ${start - list.options.scrollMargin}px` }}
              >
                <PdfPage page={index + 1} pages={pages} width={place.width * scale} size={[width, height]} />
              </div>
            );
          })}
      </div>
      <BesidePages />
    </div>
  );
}
