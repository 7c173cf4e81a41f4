import { useQuery } from "@tanstack/react-query";
import { FileX } from "lucide-react";
import type { CSSProperties } from "react";
import { editionOutlineQuery, entryEdition } from "@/api/redacted-edition";
import type { EntryShown } from "@/api/types";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { viewOf } from "@/lib/formats";
import { RedactedPreview } from "../redacted/RedactedPreview";
import { useRefreshEntry } from "./use-refresh-entry";

/** Here only the page has a scroll bar. */
const UNBOUNDED = { "--preview-most": "none" } as CSSProperties;

/**
 * A preview of the redacted edition that came with a file. Redacted tables are text and open in the reader instead.
 */
export function EditionPreview({ entry }: { entry: EntryShown }) {
  const edition = entryEdition(entry.id);
  const { data: outline, error, refetch } = useQuery(editionOutlineQuery(edition));
  useRefreshEntry(entry, outline !== undefined, error);
  if (error) {
    return (
      <ErrorPanel
        title="Could not show the redacted edition. You can download it."
        problem={error}
        onRetry={() => void refetch()}
      />
    );
  }
  if (outline === undefined) {
    return (
      <div className="sheet">
        <Skeleton lines={8} label="Loading the redacted edition" />
      </div>
    );
  }
  switch (viewOf(outline.format)) {
    case "paragraphs":
    case "sheets":
    case "pages":
      return (
        <section aria-label="Redacted edition" className="text-sm" style={UNBOUNDED}>
          <RedactedPreview edition={edition} outline={outline} hiddenFolded />
        </section>
      );
    default:
      return (
        <EmptyState icon={<FileX aria-hidden />} title="Not shown here">
          This file cannot be shown here. You can download the redacted edition.
        </EmptyState>
      );
  }
}
