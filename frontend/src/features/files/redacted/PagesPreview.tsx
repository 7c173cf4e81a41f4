import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { type FileSource, pageWordsQuery } from "@/api/file-source";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { IconButton } from "@/components/ui/IconButton";
import { numberText } from "@/lib/numbers";

const WIDTH_PX = 1200;

/** The pages of the redacted edition, one at a time: their image and their text. */
export function PagesPreview({ edition, sizes }: { edition: FileSource; sizes: readonly (readonly number[])[] }) {
  const [page, setPage] = useState(1);
  const words = useQuery(pageWordsQuery(edition, page));
  const [failed, setFailed] = useState<string | null>(null);
  const [width = 595, height = 842] = sizes[page - 1] ?? [];
  const src = edition.pictureUrl(page, WIDTH_PX);
  const text = words.data?.text.trim();
  const [number, pages] = [numberText(page), numberText(sizes.length)];
  return (
    <section aria-label={t`Pages`} className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <p role="status" className="font-medium">
          {t`Page ${number} of ${pages}`}
        </p>
        <div className="flex gap-1">
          <IconButton
            label={t`Previous page`}
            icon={<ChevronLeft />}
            size="sm"
            disabled={page === 1}
            onClick={() => setPage(page - 1)}
          />
          <IconButton
            label={t`Next page`}
            icon={<ChevronRight />}
            size="sm"
            disabled={page >= sizes.length}
            onClick={() => setPage(page + 1)}
          />
        </div>
      </div>
      {failed === src ? (
        <p className="flex items-center justify-between gap-3">
          {t`Could not load the image of this page.`}
          <Button size="sm" onClick={() => setFailed(null)}>
            {t`Try again`}
          </Button>
        </p>
      ) : (
        <img
          key={src}
          src={src}
          alt={t`Page ${number} of the redacted edition`}
          onError={() => setFailed(src)}
          className="w-full rounded-sm border border-line bg-white"
          style={{ aspectRatio: `${width} / ${height}` }}
        />
      )}
      {words.error && (
        <ErrorPanel
          title={t`Could not load the text of this page.`}
          problem={words.error}
          onRetry={() => words.refetch()}
        />
      )}
      {text === "" && <p className="text-quiet">{t`This page has no selectable or searchable text.`}</p>}
      {text && (
        <details>
          <summary className="cursor-pointer">{t`Selectable and searchable text of this page`}</summary>
          <pre className="mt-2 whitespace-pre-wrap rounded-md border border-line bg-paper px-4 py-3 font-serif">
            {text}
          </pre>
        </details>
      )}
    </section>
  );
}
