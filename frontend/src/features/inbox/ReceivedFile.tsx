import { useQuery } from "@tanstack/react-query";
import { FileX } from "lucide-react";
import { type ReactNode, useEffect, useMemo } from "react";
import { type FileSource, outlineQuery } from "@/api/file-source";
import type { Outline } from "@/api/files";
import { entryMarksQuery, type ReceivedMarks } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { ContentView } from "@/features/files/ContentView";
import { canonical } from "@/features/files/model/marks";
import { ViewedFile, ViewedFileContext } from "@/features/files/viewed-file";
import { useRefreshEntry } from "./use-refresh-entry";

interface ReceivedFileProps {
  entry: EntryShown;
  source: FileSource;
  /** The source is the document, not its redacted edition. */
  whole: boolean;
  /** Shown instead if it cannot be read as a file. */
  otherwise: ReactNode;
}

/** A received file that is not text, or its redacted edition, in the view in which authors mark such files. */
export function ReceivedFile({ entry, source, whole, otherwise }: ReceivedFileProps) {
  const outline = useQuery({ ...outlineQuery(source), retry: false });
  const marks = useQuery({ ...entryMarksQuery(entry.id), enabled: whole });
  const error = outline.error ?? (whole ? marks.error : null);
  useRefreshEntry(entry, outline.data !== undefined, error);
  if (error) {
    return (
      otherwise ?? (
        <ErrorPanel
          title={`Could not show ${whole ? "the document" : "the redacted edition"}. You can download it.`}
          problem={error}
          onRetry={() => {
            if (outline.error) void outline.refetch();
            if (marks.error) void marks.refetch();
          }}
        />
      )
    );
  }
  if (outline.data === undefined || (whole && marks.data === undefined)) {
    return (
      <div className="sheet">
        <Skeleton lines={8} label={whole ? "Loading the document" : "Loading the redacted edition"} />
      </div>
    );
  }
  if (outline.data.format === "bytes" || outline.data.format === "text") {
    return (
      otherwise ?? (
        <EmptyState icon={<FileX aria-hidden />} title="Not shown here">
          This file cannot be shown here. You can download {whole ? "it" : "the redacted edition"}.
        </EmptyState>
      )
    );
  }
  return <Opened name={entry.name} source={source} outline={outline.data} received={(whole && marks.data) || null} />;
}

interface OpenedProps {
  name: string;
  source: FileSource;
  outline: Outline;
  /** Null for a redacted edition, which is not marked. */
  received: ReceivedMarks | null;
}

function Opened({ name, source, outline, received }: OpenedProps) {
  const file = useMemo(
    () => new ViewedFile(source, outline, canonical(received?.marks ?? [])),
    [source, outline, received],
  );
  useEffect(() => () => file.units.stop(), [file]);
  return (
    <ViewedFileContext.Provider value={file}>
      <section aria-label={received ? name : "Redacted edition"} className="flex flex-col gap-3">
        {received && <p className="text-quiet text-sm print:hidden">{classifiedText(received)}</p>}
        <ContentView />
      </section>
    </ViewedFileContext.Provider>
  );
}

/** What of the file is highlighted, in a sentence or two. */
function classifiedText({ basis, marks }: ReceivedMarks): string {
  if (marks.length === 0) return "Nothing in this document is classified.";
  if (basis === "spans") return "Classified content is highlighted.";
  if (basis === "edition") return "Everything that recipients without clearance do not see is highlighted.";
  return "Whole parts are highlighted, not words, because this file came without a redacted edition.";
}
