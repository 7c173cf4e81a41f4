import { t } from "@lingui/core/macro";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Segment, SegmentedControl } from "@/components/ui/SegmentedControl";
import { showArea } from "../areas/show-area";
import { BesidePages } from "../pdf/BesidePages";
import { useViewedFile } from "../viewed-file";
import { PicturePage } from "./PicturePage";
import "../files.css";

type Zoom = "fit" | "150" | "250";

const ZOOMS: readonly Segment<Zoom>[] = [
  { value: "fit", label: t`Fit` },
  { value: "150", label: "150 %" },
  { value: "250", label: "250 %" },
];

/** A picture, or the pages of a TIFF file, with marked areas; what the file contains beside them follows. */
export function PictureView() {
  const file = useViewedFile();
  const sizes = file.outline.page_sizes ?? [];
  const root = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [zoom, setZoom] = useState<Zoom>("fit");
  useEffect(() => file.units.start(), [file]);

  useLayoutEffect(() => {
    const { current } = root;
    if (!current) return;
    const measure = () => setWidth(current.clientWidth);
    measure();
    const watching = new ResizeObserver(measure);
    watching.observe(current);
    return () => watching.disconnect();
  }, []);

  useEffect(() => {
    file.jump = (address, _start, _end, focus) => {
      if (showArea(root.current, address, focus)) return;
      const page = Number(/^page\/(\d+)/.exec(address)?.[1]);
      const there = page ? root.current?.children[page - 1] : document.querySelector("[data-beside]");
      there?.scrollIntoView({ block: "start" });
    };
    return () => {
      file.jump = () => {};
    };
  }, [file]);

  const scale = zoom === "fit" ? 1 : Number(zoom) / 100;
  return (
    <div className="mx-auto flex w-full max-w-[52rem] flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-quiet text-sm">
          {file.marking
            ? t`With any mark, the whole file is classified. Marks decide what the redacted edition shows.`
            : file.source.isRedacted && t`Classified areas are covered in black.`}
        </p>
        <SegmentedControl<Zoom> label={t`Size of the picture`} value={zoom} onValueChange={setZoom} segments={ZOOMS} />
      </div>
      <div ref={root} className="flex flex-col gap-8">
        {width > 0 &&
          sizes.map(([across = 1, down = 1], at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a page is its number
            <PicturePage key={at} page={at + 1} pages={sizes.length} width={width * scale} size={[across, down]} />
          ))}
      </div>
      <BesidePages />
    </div>
  );
}
