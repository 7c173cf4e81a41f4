import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { FileX } from "lucide-react";
import { useMemo } from "react";
import { entryEdition, receivedSource } from "@/api/file-source";
import { formatClaimed, viewOf } from "@/api/formats";
import { entryContentQuery, type ShownEdition } from "@/api/inbox";
import { isMarkdown, MOST_RENDERED } from "@/api/media-types";
import { Problem } from "@/api/problem";
import type { EntryShown } from "@/api/types";
import { Loading } from "@/components/Loading";
import { lazyWithPreload } from "@/components/lazy-with-preload";
import { Reader } from "@/components/reader/Reader";
import { whyNotShown } from "@/components/reader/why-not-shown";
import { TableOrText } from "@/components/TableOrText";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { absoluteText } from "@/lib/times";
import { NotUtf8 } from "@/marked-text/markup";
import { isWhole, knownBytes, shownEdition, unclearedText } from "./entry";
import { ReceivedFile } from "./ReceivedFile";
import { useRefreshEntry } from "./use-refresh-entry";

const MarkdownReader = lazyWithPreload(
  async () => (await import("@/components/markdown/MarkdownReader")).MarkdownReader,
  Loading,
);

/** The document, as far as the reader may see it, or why it is not shown. */
export function EntryContent({ entry }: { entry: EntryShown }) {
  const { id } = entry;
  const whole = isWhole(entry);
  const source = useMemo(() => (whole ? receivedSource(id) : entryEdition(id)), [id, whole]);
  const text = shownEdition(entry) !== null;
  const claimed = formatClaimed(entry.name, entry.media_type);
  const isTable = claimed !== null && viewOf(claimed) === "rows";
  if ((isTable || !text) && (whole || entry.redacted_bytes !== null)) {
    const otherwise = text ? <TextContent entry={entry} /> : null;
    const file = (
      <ReceivedFile
        key={String(whole)}
        entry={entry}
        source={source}
        whole={whole}
        printed={<Printed entry={entry} />}
        otherwise={otherwise}
      />
    );
    return otherwise ? <TableOrText key={id} table={file} text={otherwise} /> : file;
  }
  return <TextContent entry={entry} />;
}

function TextContent({ entry }: { entry: EntryShown }) {
  const edition = shownEdition(entry);
  const why = edition && whyNotShown(entry.media_type, knownBytes(entry));
  if (edition && !why) return <Shown key={edition} entry={entry} edition={edition} />;
  return (
    <EmptyState icon={<FileX aria-hidden />} title={t`Not shown here`}>
      {why
        ? `${why} ${isWhole(entry) ? t`You can download it.` : t`You can download the redacted edition.`}`
        : unclearedText(entry)}
    </EmptyState>
  );
}

function Shown({ entry, edition }: { entry: EntryShown; edition: ShownEdition }) {
  const { data: marked, error, refetch } = useQuery(entryContentQuery(entry.id, edition));
  useRefreshEntry(entry, marked !== undefined, error);

  if (error) {
    return (
      <ErrorPanel
        title={t`Could not show the document.`}
        problem={error instanceof NotUtf8 ? notText(error) : error}
        onRetry={() => void refetch()}
      />
    );
  }
  if (marked === undefined) {
    return (
      <div className="sheet">
        <Skeleton lines={8} label={t`Loading the document`} />
      </div>
    );
  }
  const isRendered = isMarkdown(entry.name, entry.media_type) && marked.length <= MOST_RENDERED;
  const Shown = isRendered ? MarkdownReader : Reader;
  return <Shown marked={marked} gaps={edition === "gaps"} name={entry.name} printed={<Printed entry={entry} />} />;
}

/** The text above the document on paper. */
function Printed({ entry }: { entry: EntryShown }) {
  return (
    <>
      {t`From ${entry.sender} at ${entry.peer}, received ${absoluteText(new Date(entry.received_at))}.`}{" "}
      {isWhole(entry)
        ? t`Classified text is underlined and starts with a lock.`
        : t`Redacted: black bars replace withheld text.`}
    </>
  );
}

function notText({ line, column }: NotUtf8): Problem {
  return new Problem(0, t`The file is not valid UTF-8 text from line ${line}, column ${column}. Download it instead.`);
}
