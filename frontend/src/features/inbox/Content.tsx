import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FileX } from "lucide-react";
import { useEffect } from "react";
import { entryContentQuery, entryQuery, inboxQuery, type ShownEdition } from "@/api/inbox";
import { Problem } from "@/api/problem";
import type { EntryShown } from "@/api/types";
import { Reader } from "@/components/reader/Reader";
import { whyNotShown } from "@/components/reader/shown";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { NotUtf8 } from "@/editor/markup";
import { absoluteText } from "@/lib/times";
import { isWhole, knownBytes, shownEdition, unclearedText } from "./words";

/** The document itself, as far as its reader may see it; else why it is not shown. */
export function Content({ entry }: { entry: EntryShown }) {
  const edition = shownEdition(entry);
  const why = whyNotShown(entry.media_type, knownBytes(entry));
  if (edition && !why) return <Shown key={edition} entry={entry} edition={edition} />;
  return (
    <EmptyState icon={<FileX aria-hidden />} title="Not shown here">
      {why ?? "There is no edition of this document for you."}{" "}
      {entry.editions.length > 0
        ? `You can download ${isWhole(entry) ? "it" : "its redacted edition"}.`
        : unclearedText(entry)}
    </EmptyState>
  );
}

function Shown({ entry, edition }: { entry: EntryShown; edition: ShownEdition }) {
  const client = useQueryClient();
  const { data: marked, error, refetch } = useQuery(entryContentQuery(entry.id, edition));
  const refused = error instanceof Problem && (error.status === 403 || error.status === 404);
  useEffect(() => {
    // The entry says what has become of it.
    if (refused) void client.invalidateQueries({ queryKey: entryQuery(entry.id).queryKey });
  }, [refused, client, entry.id]);

  const newlyRead = marked !== undefined && entry.read_at === null;
  useEffect(() => {
    if (!newlyRead) return;
    void client.invalidateQueries({ queryKey: entryQuery(entry.id).queryKey });
    void client.invalidateQueries({ queryKey: inboxQuery.queryKey });
  }, [newlyRead, client, entry.id]);

  if (error) {
    return (
      <ErrorPanel
        title="The document could not be shown."
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

/** What stands above the document on paper. */
function Printed({ entry }: { entry: EntryShown }) {
  return (
    <>
      From {entry.sender}, through {entry.peer}, received {absoluteText(new Date(entry.received_at))}.{" "}
      {isWhole(entry)
        ? "Classified parts are underlined and begin with a lock."
        : "Redacted: a black bar stands where text is withheld."}
    </>
  );
}

function notText({ line, column }: NotUtf8): Problem {
  return new Problem(
    0,
    `It calls itself text, but from line ${line}, column ${column} on it is not UTF-8. Download it instead.`,
  );
}
