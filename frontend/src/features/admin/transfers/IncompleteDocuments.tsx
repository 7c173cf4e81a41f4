import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { type IncompleteShown, incompleteQuery } from "@/api/received";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { sizeText } from "@/lib/sizes";

const COLUMNS: readonly Column<IncompleteShown>[] = [
  {
    id: "transfer",
    header: t`Transfer`,
    names: true,
    cell: ({ transfer_id }) => <span className="wrap-anywhere font-mono text-sm">{transfer_id}</span>,
  },
  { id: "peer", header: t`Peer`, cell: ({ peer }) => <span className="wrap-anywhere">{peer}</span> },
  {
    id: "part",
    header: t`Arrived`,
    cell: ({ held_bytes, bytes }) => {
      const held = sizeText(held_bytes);
      const all = sizeText(bytes);
      return t`${held} of ${all}`;
    },
  },
  {
    id: "state",
    header: t`State`,
    cell: ({ arriving }) => (arriving ? t`Arriving` : t`Waiting for the next attempt`),
  },
  { id: "last", header: t`Last part`, cell: ({ last_byte_at }) => <RelativeTime at={last_byte_at} /> },
  { id: "until", header: t`Kept until`, cell: ({ kept_until }) => <RelativeTime at={kept_until} /> },
];

/** Documents of which only a part arrived; nothing if there are none. */
export function IncompleteDocuments() {
  const incomplete = useQuery(incompleteQuery).data;
  if (!incomplete?.length) return null;
  return (
    <Section
      title={t`Incomplete documents`}
      lead={t`Their attempts broke off. The next attempt sends only what is missing. Names are known once a document is complete.`}
    >
      <DataTable
        caption={t`Incomplete documents`}
        columns={COLUMNS}
        rows={incomplete}
        rowId={({ peer, transfer_id }) => `${peer}/${transfer_id}`}
      />
    </Section>
  );
}
