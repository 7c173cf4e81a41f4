import { useQuery } from "@tanstack/react-query";
import { FileX } from "lucide-react";
import { entryContentQuery, type ShownEdition } from "@/api/inbox";
import { Problem } from "@/api/problem";
import type { EntryShown } from "@/api/types";
import { Reader } from "@/components/reader/Reader";
import { whyNotShown } from "@/components/reader/why-not-shown";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { absoluteText } from "@/lib/times";
import { NotUtf8 } from "@/marked-text/markup";
import { EditionPreview } from "./EditionPreview";
import { isWhole, knownBytes, shownEdition, unclearedText } from "./entry";
import { useRefreshEntry } from "./use-refresh-entry";

/** The document, as far as the reader may see it, or why it is not shown. */
export function EntryContent({ entry }: { entry: EntryShown }) {
  const edition = shownEdition(entry);
  const why = whyNotShown(entry.media_type, knownBytes(entry));
  if (edition && !why) return <Shown key={edition} entry={entry} edition={edition} />;
  if (!edition && !isWhole(entry) && entry.redacted_bytes !== null) return <EditionPreview entry={entry} />;
  return (
    <EmptyState icon={<FileX aria-hidden />} title="Not shown here">
      {why ?? "There is no redacted edition of this document for you."}{" "}
      {entry.editions.length > 0
        ? `You can download ${isWhole(entry) ? "it" : "the redacted edition"}.`
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
        title="Could not show the document."
        problem={error instanceof NotUtf8 ? notText(error) : error}
        onRetry={() => void refetch()}
      />
    );
  }
  if (marked === undefined) {
    return (
      <div className="sheet">
        <Skeleton lines={8} label="Loading the document" />
      </div>
    );
  }
  return <Reader marked={marked} gaps={edition === "gaps"} name={entry.name} printed={<Printed entry={entry} />} />;
}

/** The text above the document on paper. */
function Printed({ entry }: { entry: EntryShown }) {
  return (
    <>
      From {entry.sender} at {entry.peer}, received {absoluteText(new Date(entry.received_at))}.{" "}
      {isWhole(entry)
        ? "Classified text is underlined and starts with a lock."
        : "Redacted: black bars replace withheld text."}
    </>
  );
}

function notText({ line, column }: NotUtf8): Problem {
  return new Problem(0, `The file is not valid UTF-8 text from line ${line}, column ${column}. Download it instead.`);
}
