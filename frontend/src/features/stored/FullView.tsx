import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { FileX } from "lucide-react";
import { type ReactNode, useEffect, useMemo } from "react";
import { documentMarksQuery, documentTextQuery } from "@/api/documents";
import { documentSource, type FileSource, outlineQuery } from "@/api/file-source";
import type { Mark, Outline } from "@/api/files";
import { viewOf } from "@/api/formats";
import { Problem } from "@/api/problem";
import type { DocumentShown } from "@/api/types";
import { Reader } from "@/components/reader/Reader";
import { whyNotShown } from "@/components/reader/why-not-shown";
import { TableOrText } from "@/components/TableOrText";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { ContentView } from "@/features/files/ContentView";
import { canonical } from "@/features/files/model/marks";
import { ViewedFile, ViewedFileContext } from "@/features/files/viewed-file";
import { NotUtf8 } from "@/marked-text/markup";

/** The document with its marks. */
export function FullView({ document }: { document: DocumentShown }) {
  if (document.format === "text") return <StoredText document={document} edition="marked" />;
  if (document.format === "bytes") {
    return <NotShown>{t`This file cannot be shown here. You can download it.`}</NotShown>;
  }
  const file = <WholeFile document={document} />;
  if (viewOf(document.format) !== "rows") return file;
  return <TableOrText table={file} text={<StoredText document={document} edition="marked" />} />;
}

/** A text with its marks, or with bars in place of what they withhold. */
export function StoredText({ document, edition }: { document: DocumentShown; edition: "marked" | "gaps" }) {
  const isTable = viewOf(document.format) === "rows";
  const why = whyNotShown(isTable ? "text/plain" : document.media_type, document.document_bytes);
  const { data, error, refetch } = useQuery({ ...documentTextQuery(document.id, edition), enabled: why === null });
  if (why !== null) return <NotShown>{t`${why} You can download it.`}</NotShown>;
  if (error) {
    const problem = error instanceof NotUtf8 ? new Problem(0, t`The document is not valid UTF-8 text.`) : error;
    return <CouldNotShow problem={problem} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Loading />;
  return <Reader marked={data} gaps={edition === "gaps"} name={document.name} />;
}

function WholeFile({ document }: { document: DocumentShown }) {
  const source = useMemo(() => documentSource(document.id), [document.id]);
  const outline = useQuery({ ...outlineQuery(source), retry: false });
  const marks = useQuery(documentMarksQuery(document.id));
  const error = outline.error ?? marks.error;
  if (error) {
    const retry = () => {
      if (outline.error) void outline.refetch();
      if (marks.error) void marks.refetch();
    };
    return <CouldNotShow problem={error} onRetry={retry} />;
  }
  if (!outline.data || !marks.data) return <Loading />;
  return <Viewed name={document.name} source={source} outline={outline.data} marks={marks.data} />;
}

interface ViewedProps {
  name: string;
  source: FileSource;
  outline: Outline;
  marks: readonly Mark[];
}

/** A file in the view in which authors mark such files. */
export function Viewed({ name, source, outline, marks }: ViewedProps) {
  const file = useMemo(() => new ViewedFile(source, outline, canonical(marks)), [source, outline, marks]);
  useEffect(() => () => file.units.stop(), [file]);
  return (
    <ViewedFileContext.Provider value={file}>
      <section aria-label={name}>
        <ContentView />
      </section>
    </ViewedFileContext.Provider>
  );
}

export function NotShown({ children }: { children: ReactNode }) {
  return (
    <EmptyState icon={<FileX aria-hidden />} title={t`Not shown here`}>
      {children}
    </EmptyState>
  );
}

export function CouldNotShow({ problem, onRetry }: { problem: Error; onRetry: () => void }) {
  return (
    <ErrorPanel title={t`Could not show the document. You can download it.`} problem={problem} onRetry={onRetry} />
  );
}

export function Loading() {
  return (
    <div className="sheet">
      <Skeleton lines={8} label={t`Loading the document`} />
    </div>
  );
}
