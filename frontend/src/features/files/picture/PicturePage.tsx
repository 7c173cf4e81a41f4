import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { ChannelIcon } from "@/components/channels";
import { Button } from "@/components/ui/Button";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { AreaForm } from "../areas/AreaForm";
import { AreaLayer } from "../areas/AreaLayer";
import type { Area, Size } from "../model/areas";
import { whole } from "../model/marks";
import { Picture, stepOf } from "../pdf/PagePicture";
import { useMarks, useViewedFile } from "../viewed-file";

interface PicturePageProps {
  /** From 1. */
  page: number;
  pages: number;
  /** In px. */
  width: number;
  size: Size;
}

/** A picture, or a page of a TIFF file: how it travels, and the areas that are marked on it. */
export function PicturePage({ page, pages, width, size }: PicturePageProps) {
  const { source, marking } = useViewedFile();
  const { marks, index } = useMarks();
  const [byTouch, setByTouch] = useState(false);
  const [typed, setTyped] = useState<Area | null>(null);
  const address = `page/${page}`;
  const own = index.isWhole(address);
  const classified = marks.length > 0;
  const words = pages === 1 ? t`the picture` : t`page ${page}`;
  return (
    <section aria-label={pages === 1 ? t`Picture` : t`Page ${page}`} className="flex flex-col">
      <div className="flex min-h-16 flex-wrap items-center justify-between gap-3 py-2">
        <div className="min-w-0">
          <h2 className="font-medium text-sm">
            {pages === 1 ? (
              t`Picture`
            ) : (
              <Trans>
                Page {numberText(page)} <span className="text-quiet">of {numberText(pages)}</span>
              </Trans>
            )}
          </h2>
          {(marking || classified) && (
            <p className={cx("flex items-center gap-1.5 text-xs", classified ? "text-secure" : "text-plain")}>
              <ChannelIcon channel={classified ? "secure" : "plain"} className="size-3" />
              <span>{stateText(own, index.count(address), classified)}</span>
            </p>
          )}
        </div>
        {marking && (
          <div className="flex gap-2">
            {!own && (
              <Button
                size="sm"
                aria-pressed={byTouch}
                onClick={() => setByTouch(!byTouch)}
                className="pointer-fine:hidden aria-pressed:border-ink aria-pressed:bg-ink/8"
              >{t`Draw areas`}</Button>
            )}
            <Button
              size="sm"
              aria-pressed={own}
              onClick={() => (own ? marking.unmark([whole(address)], words) : marking.mark([whole(address)], words))}
            >
              {own ? t`Mark areas instead` : t`Mark all of it`}
              {pages > 1 && <span className="sr-only"> {page}</span>}
            </Button>
          </div>
        )}
      </div>
      <div className="overflow-x-auto rounded-sm">
        <div
          className={cx("pdf-page", classified && "pdf-page-classified")}
          style={{ width, height: (width * size[1]) / size[0] }}
          data-own={own || undefined}
        >
          <Picture key={`${page} ${stepOf(width)}`} src={source.pictureUrl(page, stepOf(width))} page={page} />
          <AreaLayer
            page={page}
            size={size}
            canDraw={marking !== null && !own}
            byTouch={byTouch}
            typed={own ? null : typed}
          />
        </div>
      </div>
      {marking && !own && <AreaForm page={page} size={size} marking={marking} onArea={setTyped} />}
    </section>
  );
}

function stateText(own: boolean, count: number, classified: boolean): string {
  if (own) return t`Classified. The redacted edition does not show it.`;
  if (count > 0) return t`Classified. The redacted edition is black where an area is marked.`;
  return classified
    ? t`Classified, because something of this file is marked`
    : t`Not marked: draw over what must stay secret`;
}
