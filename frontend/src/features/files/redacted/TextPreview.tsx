import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type FileSource, unitsQuery } from "@/api/file-source";
import type { Unit } from "@/api/files";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { blocksOf } from "@/components/word/blocks";
import { WordBlocks } from "@/components/word/WordBlocks";
import { sectionsOf } from "../model/sections";

const MOST_UNITS = 1000;

interface TextPreviewProps {
  edition: FileSource;
}

/** The first part of the text of the redacted edition, including hidden text. */
export function TextPreview({ edition }: TextPreviewProps) {
  const read = useQuery(unitsQuery(edition, MOST_UNITS));
  const sections = useMemo(() => sectionsOf(read.data?.units ?? []), [read.data]);
  if (read.error) {
    return (
      <ErrorPanel title={t`Could not read the redacted edition.`} problem={read.error} onRetry={() => read.refetch()} />
    );
  }
  if (!read.data) return <Skeleton label={t`Loading the text`} lines={4} />;
  return (
    <section
      aria-label={t`Text of the redacted edition`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keys
      tabIndex={0}
      className="flex max-h-[50dvh] flex-col gap-4 overflow-y-auto rounded-md border border-line bg-paper px-4 py-3"
    >
      {sections.map(({ key, title, units }) => (
        <div key={key}>
          <h3 className="font-medium text-quiet text-xs">{title}</h3>
          <Units units={units} />
        </div>
      ))}
      {sections.length === 0 && <p>{t`The document has no text.`}</p>}
      {read.data.next !== null && (
        <p className="text-quiet">{t`Preview truncated. Download the file to read everything.`}</p>
      )}
    </section>
  );
}

function Units({ units }: { units: readonly Unit[] }) {
  const blocks = useMemo(() => blocksOf(units), [units]);
  return (
    <div className="mt-1 font-serif text-base">
      <WordBlocks blocks={blocks} draw={Paragraph} />
    </div>
  );
}

function Paragraph({ address, text, hidden }: Unit) {
  return (
    <p className="wrap-anywhere not-first:mt-1.5">
      {text || <span className="font-sans text-quiet text-sm">{address}</span>}
      {hidden && <span className="ml-2 font-sans text-quiet text-xs">{hidden}</span>}
    </p>
  );
}
