import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileX, Printer } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type FileSource, outlineQuery } from "@/api/file-source";
import type { Outline } from "@/api/files";
import { entryMarksQuery, type ReceivedMarks } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { IconButton } from "@/components/ui/IconButton";
import { Skeleton } from "@/components/ui/Skeleton";
import { toastError } from "@/components/ui/toasts";
import { useMarkedCopy } from "@/components/use-marked-copy";
import { ContentView } from "@/features/files/ContentView";
import { canonical, labelNames } from "@/features/files/model/marks";
import { ViewedFile, ViewedFileContext } from "@/features/files/viewed-file";
import { cx } from "@/lib/cx";
import { FileSteps } from "./FileSteps";
import { LabelsBanner } from "./LabelsBanner";
import { loadToPrint, PrintedFile, type ToPrint, usePrintKey } from "./PrintedFile";
import { useRefreshEntry } from "./use-refresh-entry";

interface ReceivedFileProps {
  entry: EntryShown;
  source: FileSource;
  /** The source is the document, not its redacted edition. */
  whole: boolean;
  /** Printed above the file. */
  printed: ReactNode;
  /** Shown instead if it cannot be read as a file. */
  otherwise: ReactNode;
}

/** A received file that is not text, or its redacted edition, in the view in which authors mark such files. */
export function ReceivedFile({ entry, source, whole, printed, otherwise }: ReceivedFileProps) {
  const outline = useQuery({ ...outlineQuery(source), retry: false });
  const marks = useQuery({ ...entryMarksQuery(entry.id), enabled: whole });
  const error = outline.error ?? (whole ? marks.error : null);
  useRefreshEntry(entry, outline.data !== undefined, error);
  if (error) {
    return (
      otherwise ?? (
        <ErrorPanel
          title={
            whole
              ? t`Could not show the document. You can download it.`
              : t`Could not show the redacted edition. You can download it.`
          }
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
        <Skeleton lines={8} label={whole ? t`Loading the document` : t`Loading the redacted edition`} />
      </div>
    );
  }
  if (outline.data.format === "bytes" || outline.data.format === "text") {
    return (
      otherwise ?? (
        <EmptyState icon={<FileX aria-hidden />} title={t`Not shown here`}>
          {whole
            ? t`This file cannot be shown here. You can download it.`
            : t`This file cannot be shown here. You can download the redacted edition.`}
        </EmptyState>
      )
    );
  }
  return (
    <Opened
      name={entry.name}
      source={source}
      outline={outline.data}
      received={(whole && marks.data) || null}
      printed={printed}
    />
  );
}

interface OpenedProps {
  name: string;
  source: FileSource;
  outline: Outline;
  /** Null for a redacted edition, which is not marked. */
  received: ReceivedMarks | null;
  printed: ReactNode;
}

function Opened({ name, source, outline, received, printed }: OpenedProps) {
  const client = useQueryClient();
  const file = useMemo(
    () => new ViewedFile(source, outline, canonical(received?.marks ?? [])),
    [source, outline, received],
  );
  useEffect(() => () => file.units.stop(), [file]);
  const labels = useMemo(() => labelNames(received?.marks ?? []), [received]);
  const root = useRef<HTMLElement>(null);
  useMarkedCopy(root);
  const paper = useRef<HTMLDivElement>(null);
  const [toPrint, setToPrint] = useState<ToPrint | null>(null);
  const printing = useMutation({
    mutationFn: async () => {
      const loaded = await loadToPrint(client, file);
      flushSync(() => setToPrint(loaded));
      await Promise.all([...(paper.current?.querySelectorAll("img") ?? [])].map((picture) => picture.decode()));
      window.print();
    },
    onError: (error) => toastError(t`Could not print the document.`, error),
  });
  const print = () => {
    if (!printing.isPending) printing.mutate();
  };
  usePrintKey(print);
  const drawnOnPaper = toPrint !== null && (toPrint.pages.length > 0 || toPrint.tables.length > 0);
  return (
    <ViewedFileContext.Provider value={file}>
      <section ref={root} aria-label={received ? name : t`Redacted edition`} className="flex flex-col gap-3">
        <div className="sticky top-14 short:top-0 z-20 -mx-1 flex min-h-10 items-center justify-between gap-2 bg-desk/95 px-1 py-1 backdrop-blur-sm print:hidden">
          <div className="flex min-w-0 flex-wrap items-center gap-x-4">
            {received && received.marks.length > 0 && <FileSteps />}
            <p className="text-quiet text-sm">{received && classifiedText(received)}</p>
          </div>
          <IconButton label={t`Print`} icon={<Printer />} size="sm" disabled={printing.isPending} onClick={print} />
        </div>
        <div className="hidden border-b print:block pb-2 text-sm">{printed}</div>
        <LabelsBanner names={labels} />
        <div className={cx("min-w-0", drawnOnPaper && "print:hidden")}>
          <ContentView />
        </div>
        {toPrint && <PrintedFile toPrint={toPrint} root={paper} />}
      </section>
    </ViewedFileContext.Provider>
  );
}

/** What of the file is highlighted, in a sentence or two. */
function classifiedText({ basis, marks }: ReceivedMarks): string {
  if (marks.length === 0) return t`Nothing in this document is classified.`;
  if (basis === "marks") return t`What the author marked is highlighted. The redacted edition may withhold more.`;
  if (basis === "spans") return t`Classified content is highlighted.`;
  if (basis === "edition") return t`Everything that recipients without clearance do not see is highlighted.`;
  return t`Whole parts are highlighted, not words, because this file came without a redacted edition.`;
}
