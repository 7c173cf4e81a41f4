import { Link } from "@tanstack/react-router";
import type { EntryShown } from "@/api/types";
import { ShareBar } from "@/components/ShareBar";
import { Bytes } from "@/components/ui/Bytes";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { ROW_LINK, type RowColumn, RowTitle } from "@/components/ui/RowList";
import { knownBytes, shareOf, shareText } from "./entry";
import { KeptUntil } from "./KeptUntil";

/** The columns of the inbox. */
export const ENTRY_COLUMNS: readonly RowColumn<EntryShown>[] = [
  {
    id: "document",
    header: "Document",
    names: true,
    width: "minmax(0,1fr)",
    cell: (entry) => <Name entry={entry} />,
  },
  {
    id: "share",
    header: "Classified",
    width: "14rem",
    className: "max-w-80",
    cell: (entry) => <Share entry={entry} />,
  },
  {
    id: "size",
    header: "Size",
    width: "5.5rem",
    fact: "unnamed",
    className: "md:text-right",
    cell: (entry) => <Bytes value={knownBytes(entry)} />,
  },
  {
    id: "received",
    header: "Received",
    width: "8rem",
    fact: "named",
    cell: ({ received_at }) => <RelativeTime at={received_at} />,
  },
];

function Name({ entry: { id, name, sender, peer, read_at, kept_until } }: { entry: EntryShown }) {
  const unread = read_at === null;
  return (
    <>
      {unread && (
        // The dot is placed in this empty box: the link's area must be placed in the row, which it covers.
        <span aria-hidden className="relative block">
          <span className="absolute top-2 -left-3 size-2 rounded-full border-4 border-secure sm:-left-4" />
        </span>
      )}
      <RowTitle className={unread && "font-bold"}>
        <Link to="/inbox/$id" params={{ id }} className={ROW_LINK}>
          {unread && <span className="sr-only">Unread:</span>} {name}
        </Link>
      </RowTitle>
      <p className="wrap-anywhere mt-1 text-quiet text-sm">
        From {sender} at {peer}
      </p>
      {kept_until && <KeptUntil at={kept_until} className="mt-1 text-sm" />}
    </>
  );
}

/** How much of a document is classified; or, for readers who are not cleared, what they get. */
function Share({ entry }: { entry: EntryShown }) {
  const share = shareOf(entry);
  if (share === null) {
    return (
      <span className="text-quiet text-sm">
        {entry.editions.length > 0 ? "Redacted for you" : "Nothing to read for you"}
      </span>
    );
  }
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <ShareBar secure={share} />
      <span className="text-quiet">{share === 0 ? "Nothing classified" : shareText(entry, " classified")}</span>
    </div>
  );
}
