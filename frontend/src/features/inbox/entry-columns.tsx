import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { MailCheck } from "lucide-react";
import type { EntryShown } from "@/api/types";
import { KeptUntil } from "@/components/KeptUntil";
import { ShareBar } from "@/components/ShareBar";
import { TagChips } from "@/components/tags/TagChips";
import { Bytes } from "@/components/ui/Bytes";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { DENSE_TITLE, ROW_LINK, type RowColumn, RowTitle } from "@/components/ui/RowList";
import { percentText } from "@/lib/percent";
import { sizeText } from "@/lib/sizes";
import { type EntryAction, EntryRowMenu } from "./EntryRowMenu";
import { knownBytes, shareOf } from "./entry";

type OnAction = (action: EntryAction, entry: EntryShown) => void;

const SENDER: RowColumn<EntryShown> = {
  id: "sender",
  header: t`Sender`,
  width: "minmax(0,13rem)",
  cell: ({ sender, peer }) => (
    <p
      className="wrap-anywhere text-quiet text-sm md:truncate"
      title={t`From ${sender} at ${peer}`}
    >{t`From ${sender} at ${peer}`}</p>
  ),
};

const SIZE: RowColumn<EntryShown> = {
  id: "size",
  header: t`Size`,
  width: "5.5rem",
  fact: "unnamed",
  className: "text-sm md:text-right",
  cell: (entry) => <Bytes value={knownBytes(entry)} />,
};

const KEPT: RowColumn<EntryShown> = {
  id: "kept",
  header: t`Kept until`,
  width: "13.5rem",
  cell: ({ kept_until }) => kept_until && <KeptUntil at={kept_until} className="text-sm" />,
};

/** The columns of the inbox. `kept`: some entries are removed after a time. */
export function entryColumns(onAction: OnAction, kept: boolean): readonly RowColumn<EntryShown>[] {
  return [
    {
      id: "document",
      header: t`Document`,
      names: true,
      width: "minmax(0,1fr)",
      cell: (entry) => <Name entry={entry} />,
    },
    SENDER,
    {
      id: "share",
      header: t`Classified`,
      width: "12rem",
      className: "max-w-80",
      cell: (entry) => <Share entry={entry} />,
    },
    ...(kept ? [KEPT] : []),
    SIZE,
    {
      id: "received",
      header: t`Received`,
      width: "7rem",
      fact: "named",
      className: "text-sm",
      cell: ({ received_at }) => <RelativeTime at={received_at} />,
    },
    actions(onAction),
  ];
}

/** The columns of the deleted entries. */
export function deletedColumns(onAction: OnAction): readonly RowColumn<EntryShown>[] {
  return [
    {
      id: "document",
      header: t`Document`,
      names: true,
      width: "minmax(0,1fr)",
      cell: ({ name }) => (
        <RowTitle className={DENSE_TITLE}>
          <span title={name}>{name}</span>
        </RowTitle>
      ),
    },
    SENDER,
    KEPT,
    SIZE,
    {
      id: "deleted",
      header: t`Deleted`,
      width: "7rem",
      fact: "named",
      className: "text-sm",
      cell: ({ deleted_at }) => deleted_at && <RelativeTime at={deleted_at} />,
    },
    actions(onAction),
  ];
}

/** The columns while the list loads. */
export const ENTRY_COLUMNS = entryColumns(() => {}, false);

function actions(onAction: OnAction): RowColumn<EntryShown> {
  return {
    id: "actions",
    header: t`Actions`,
    width: "auto",
    side: "end",
    className: "-mr-2 max-md:-mt-1.5 md:-my-1",
    cell: (entry) => <EntryRowMenu entry={entry} onAction={(action) => onAction(action, entry)} />,
  };
}

function Name({ entry: { id, name, read_at, read_receipts, tags } }: { entry: EntryShown }) {
  const unread = read_at === null;
  return (
    <>
      {unread && (
        // The dot is placed in this empty box: the link's area must be placed in the row, which it covers.
        <span aria-hidden className="relative block">
          <span className="absolute top-2 -left-3 size-2 rounded-full border-4 border-secure" />
        </span>
      )}
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 md:flex-nowrap">
        <RowTitle className={`${DENSE_TITLE} ${unread ? "font-bold" : ""}`}>
          <Link to="/inbox/$id" params={{ id }} title={name} className={ROW_LINK}>
            {unread && <span className="sr-only">{t`Unread:`}</span>} {name}
          </Link>
          {unread && read_receipts && (
            <span title={t`The sender asked to be told when you open it`} className="ml-2 inline-block align-middle">
              <MailCheck aria-hidden className="size-4 text-quiet" />
              <span className="sr-only">{t`The sender asked to be told when you open it.`}</span>
            </span>
          )}
        </RowTitle>
        {tags.length > 0 && (
          <span className="flex min-w-0 items-center gap-1 text-xs">
            <TagChips tags={tags} />
          </span>
        )}
      </div>
    </>
  );
}

function classifiedText({ classified_bytes }: EntryShown, share: number): string {
  return t`${{ share: percentText(share) }} classified (${{ size: sizeText(classified_bytes ?? 0) }})`;
}

/** How much of a document is classified; or, for readers who are not cleared, what they get. */
function Share({ entry }: { entry: EntryShown }) {
  const share = shareOf(entry);
  if (share === null) {
    return (
      <span className="text-quiet text-sm">
        {entry.editions.length > 0 ? t`Redacted for you` : t`Nothing to read for you`}
      </span>
    );
  }
  return (
    <div title={share === 0 ? undefined : classifiedText(entry, share)} className="flex items-center gap-2.5 text-sm">
      <ShareBar secure={share} className="h-1.5 w-12 shrink-0" />
      <span className="truncate text-quiet">
        {share === 0 ? t`Nothing classified` : share === 1 ? t`All classified` : t`${percentText(share)} classified`}
      </span>
    </div>
  );
}
