import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { HolderShown, ReceivedShown } from "@/api/received";
import { ShareBar } from "@/components/ShareBar";
import { Bytes } from "@/components/ui/Bytes";
import type { Column } from "@/components/ui/DataTable";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { durationText } from "@/lib/durations";
import { percentText } from "@/lib/percent";

/** The columns of the admin's list of received documents. */
export const RECEIVED_COLUMNS: readonly Column<ReceivedShown>[] = [
  {
    id: "document",
    header: t`Document`,
    names: true,
    className: "sm:w-[20%]",
    cell: ({ name, document_deleted_at }) => (
      <>
        <span className="wrap-anywhere line-clamp-2 leading-6 sm:line-clamp-1" title={name}>
          {name}
        </span>
        {document_deleted_at && (
          <span className="font-normal text-quiet text-sm">
            <Trans>
              Deleted <RelativeTime at={document_deleted_at} />
            </Trans>
          </span>
        )}
      </>
    ),
  },
  {
    id: "sender",
    header: t`Sender`,
    className: "sm:w-[17%]",
    cell: ({ sender, peer }) => (
      <span className="wrap-anywhere line-clamp-2 sm:line-clamp-1" title={t`${sender} at ${peer}`}>
        {t`${sender} at ${peer}`}
      </span>
    ),
  },
  {
    id: "recipients",
    header: t`Recipients`,
    className: "sm:w-[30%]",
    cell: ({ recipients }) => (
      <ul className="flex flex-wrap gap-x-4 gap-y-0.5 max-sm:flex-col">
        {recipients.map((person) => (
          <li key={person.name} className="wrap-anywhere">
            {person.display_name} <span className="text-quiet">{stateText(person)}</span>
          </li>
        ))}
      </ul>
    ),
  },
  {
    id: "size",
    header: t`Size`,
    align: "end",
    className: "whitespace-nowrap",
    cell: ({ document_bytes }) => <Bytes value={document_bytes} />,
  },
  { id: "share", header: t`Classified`, cell: (document) => <Share document={document} /> },
  {
    id: "took",
    header: t`Took`,
    align: "end",
    cell: ({ stored_ms }) => (
      <span className="whitespace-nowrap">{stored_ms === null ? "–" : durationText(stored_ms)}</span>
    ),
  },
  { id: "received", header: t`Received`, cell: ({ received_at }) => <RelativeTime at={received_at} /> },
];

/** What a recipient did with the document. */
function stateText({ opened_at, deleted }: HolderShown) {
  if (deleted) return opened_at === null ? t`(deleted unopened)` : t`(opened, deleted)`;
  return opened_at === null ? (
    t`(not opened)`
  ) : (
    <Trans>
      (opened <RelativeTime at={opened_at} />)
    </Trans>
  );
}

function Share({ document: { document_bytes, classified_bytes } }: { document: ReceivedShown }) {
  if (classified_bytes === 0) return <span className="text-quiet">{t`Nothing`}</span>;
  const share = classified_bytes / document_bytes;
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <ShareBar secure={share} className="h-1.5 w-10 shrink-0" />
      {percentText(share)}
    </span>
  );
}
