import { t } from "@lingui/core/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { classifiedOf, type FileDraft, type Format } from "@/api/files";
import { saidText } from "@/api/sentence-text";
import { Bytes } from "@/components/ui/Bytes";
import { Disclosure } from "@/components/ui/Disclosure";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { capitalised } from "@/lib/prose";
import { whereText } from "./model/place-names";

/** Whether more than the marks is classified of a format, and the gateway says what. */
const IS_EXPLAINED: Readonly<Record<Format, boolean>> = {
  docx: true,
  xlsx: true,
  pptx: true,
  odt: true,
  ods: true,
  pdf: true,
  html: true,
  rtf: true,
  eml: true,
  zip: true,
  png: false,
  jpeg: false,
  tiff: false,
  csv: false,
  tsv: false,
  jsonl: false,
  text: false,
  bytes: false,
};

/** What of the latest save travels classified, by kind, largest first. */
export function WhyClassified({ draft }: { draft: FileDraft }) {
  const [open, setOpen] = useState(false);
  const found = useQuery({
    queryKey: ["content", "classified", draft.id, draft.revision],
    queryFn: ({ signal }) => classifiedOf(draft.id, signal),
    enabled: open && draft.classified_bytes > 0,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (draft.classified_bytes === 0 || !IS_EXPLAINED[draft.format]) return null;
  return (
    <Disclosure title={t`What keeps more from travelling plain`} summary={null} open={open} onOpenChange={setOpen}>
      {found.isPending && <Skeleton label={t`Loading what travels classified`} lines={3} />}
      {found.error && (
        <ErrorPanel
          title={t`What travels classified could not be loaded.`}
          problem={found.error}
          onRetry={() => found.refetch()}
        />
      )}
      <ul aria-label={t`What travels classified`} className="flex flex-col gap-2 text-sm">
        {found.data?.map(({ why, bytes, largest }) => (
          <li key={why.code} className="flex gap-3">
            <span className="min-w-0 flex-1">
              {capitalised(saidText(why, why.text))}
              {largest.length > 0 && (
                <span className="block break-words text-quiet text-xs">
                  {largest.map((name) => whereText(draft.format, name)).join(", ")}
                </span>
              )}
            </span>
            <Bytes value={bytes} className="shrink-0 text-quiet tabular-nums" />
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
