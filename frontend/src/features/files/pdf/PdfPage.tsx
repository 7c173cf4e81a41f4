import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { ScanText, SquareDashed } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { pageWordsQuery } from "@/api/file-source";
import { ChannelIcon } from "@/components/channels";
import { Button } from "@/components/ui/Button";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { AreaForm } from "../areas/AreaForm";
import { AreaLayer } from "../areas/AreaLayer";
import type { Area, Size } from "../model/areas";
import { whole } from "../model/marks";
import { laidWords } from "../model/page-layer";
import { TextRegion } from "../TextRegion";
import { useMarks, useViewedFile } from "../viewed-file";
import { Picture, stepOf } from "./PagePicture";
import { WordLayer } from "./WordLayer";

/** At least, and where it fits in one line: the heading above a page's image. */
export const HEAD_PX = 64;

interface PdfPageProps {
  /** From 1. */
  page: number;
  pages: number;
  /** In px; the picture is larger where the screen is finer. */
  width: number;
  /** In points. */
  size: Size;
}

/** A page: its picture, its words and marked areas over it, how it travels, and the buttons that mark it whole or areas. */
export function PdfPage({ page, pages, width, size }: PdfPageProps) {
  const file = useViewedFile();
  const { index } = useMarks();
  const { source, marking } = file;
  const address = `page/${page}`;
  const words = useQuery(pageWordsQuery(source, page));
  const laid = useMemo(() => (words.data ? laidWords(words.data) : []), [words.data]);
  const ranges = index.ranges(address);
  const own = index.isWhole(address);
  const classified = index.count(address) > 0;
  const labels = index.labelsBelow(address);
  const scan = words.data && laid.length === 0;
  const ratio = size[0] / size[1];
  const areaButton = useRef<HTMLButtonElement>(null);
  const [wanted, setWanted] = useState(false);
  const [typed, setTyped] = useState<Area | null>(null);
  const drawing = wanted && marking !== null && !own;
  const draw = (on: boolean) => {
    setWanted(on);
    setTyped(null);
  };
  return (
    <section
      aria-label={t`Page ${page}`}
      // What gets the focus must not be below the bars of the window.
      className="flex flex-col [&_:is(button,input,summary)]:scroll-my-36"
      onKeyDown={({ key }) => {
        if (key !== "Escape" || !drawing) return;
        draw(false);
        areaButton.current?.focus();
      }}
    >
      <div className="flex flex-wrap items-center justify-between gap-3 py-2" style={{ minHeight: HEAD_PX }}>
        <div className="min-w-0">
          <h2 className="font-medium text-sm">
            <Trans>
              Page {numberText(page)} <span className="text-quiet">of {numberText(pages)}</span>
            </Trans>
          </h2>
          {(marking || classified) && (
            <p className={cx("flex items-center gap-1.5 text-xs", classified ? "text-secure" : "text-plain")}>
              <ChannelIcon channel={classified ? "secure" : "plain"} className="size-3" />
              <span className="truncate">{stateText(own, classified, scan === true)}</span>
              {labels !== "" && <span className="mark-label max-w-3/5 shrink-0 truncate">{labels}</span>}
            </p>
          )}
        </div>
        {marking && (
          <div className="flex gap-2">
            {!own && (
              <Button
                ref={areaButton}
                size="sm"
                aria-label={t`Mark an area of page ${page}`}
                aria-pressed={drawing}
                className="aria-pressed:border-ink aria-pressed:bg-ink/8"
                icon={<SquareDashed aria-hidden />}
                onClick={() => draw(!drawing)}
              >{t`Mark an area`}</Button>
            )}
            <Button
              size="sm"
              aria-pressed={own}
              onClick={() => {
                draw(false);
                if (own) marking.unmark([whole(address)], t`page ${page}`);
                else marking.mark([whole(address)], t`page ${page}`);
              }}
            >
              {own ? t`Unmark page` : t`Mark page`}
              <span className="sr-only"> {page}</span>
            </Button>
          </div>
        )}
      </div>
      {drawing && (
        <div className="pb-3 text-sm">
          <p>{t`Draw over what must stay secret. To stop, press Escape or the button again.`}</p>
          <AreaForm page={page} size={size} marking={marking} onArea={setTyped} />
        </div>
      )}
      <TextRegion label={t`Text of page ${page}`} className="overflow-x-auto rounded-sm">
        <div
          className={cx("pdf-page", classified && "pdf-page-classified")}
          style={{ width, height: width / ratio }}
          data-own={own || undefined}
        >
          <Picture key={`${page} ${stepOf(width)}`} src={source.pictureUrl(page, stepOf(width))} page={page} />
          <WordLayer address={address} laid={laid} ranges={ranges} ratio={ratio} />
          <AreaLayer page={page} size={size} canDraw={drawing} byTouch={drawing} typed={typed} />
          {scan && !drawing && (
            <p className="absolute inset-x-0 bottom-0 flex items-center gap-2 border-line border-t bg-raised px-3 py-2 text-ink text-xs">
              <ScanText aria-hidden className="size-4 shrink-0 text-quiet" />
              {t`This page is a scan or a drawing, with no text to select.`}{" "}
              {marking && t`Mark areas or the whole page.`}
            </p>
          )}
          {words.error && (
            <p
              role="alert"
              className="absolute inset-x-0 bottom-0 border-danger/50 border-t bg-danger-ground px-3 py-2 text-ink text-xs"
            >
              {t`The text of this page could not be loaded.`}{" "}
              {marking && <>{t`You can still mark areas or the whole page.`} </>}
              <button type="button" className="underline" onClick={() => void words.refetch()}>{t`Try again`}</button>
            </p>
          )}
        </div>
      </TextRegion>
    </section>
  );
}

function stateText(own: boolean, classified: boolean, scan: boolean): string {
  if (own) return t`Classified`;
  if (classified) return t`The whole page is classified, because of a mark on it`;
  return scan ? t`Not marked, no text` : t`Not marked`;
}
