import { plural, t } from "@lingui/core/macro";
import type { PeerContact, PeerQueue } from "@/api/peers";
import type { PeerShown } from "@/api/types";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { durationText } from "@/lib/durations";
import { numberText } from "@/lib/numbers";
import { CertificateDays } from "./CertificateDays";
import { peerAnchor } from "./peer-anchor";

interface Row {
  peer: PeerShown;
  contact: PeerContact | undefined;
  queue: PeerQueue | undefined;
}

const UNKNOWN = "–";
const timeOf = (at: string | null | undefined) => (at ? Date.parse(at) : 0);

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "name",
    header: t`Peer`,
    names: true,
    sortBy: ({ peer }) => peer.name,
    cell: ({ peer }) => (
      <a href={`#${peerAnchor(peer.name)}`} className="wrap-anywhere">
        {peer.name}
      </a>
    ),
  },
  {
    id: "seen",
    header: t`Last seen`,
    sortBy: ({ contact }) => timeOf(contact?.last_seen_at),
    cell: ({ contact }) => (contact?.last_seen_at ? <RelativeTime at={contact.last_seen_at} /> : t`Not yet`),
  },
  {
    id: "latency",
    header: t`Latency`,
    align: "end",
    sortBy: ({ contact }) => contact?.latency_ms ?? -1,
    cell: ({ contact }) => (typeof contact?.latency_ms === "number" ? durationText(contact.latency_ms) : UNKNOWN),
  },
  {
    id: "waiting",
    header: t`Waiting`,
    align: "end",
    sortBy: ({ queue }) => queue?.waiting ?? 0,
    cell: ({ queue }) => numberText(queue?.waiting ?? 0),
  },
  {
    id: "delivered",
    header: t`Last delivered`,
    sortBy: ({ queue }) => timeOf(queue?.last_delivered_at),
    cell: ({ queue }) => (queue?.last_delivered_at ? <RelativeTime at={queue.last_delivered_at} /> : UNKNOWN),
  },
  {
    id: "certificate",
    header: t`Certificate`,
    sortBy: ({ contact }) => timeOf(contact?.certificate_until),
    cell: ({ contact }) =>
      contact?.certificate_until ? <CertificateDays until={contact.certificate_until} /> : UNKNOWN,
  },
  {
    id: "protocol",
    header: t`Protocol`,
    align: "end",
    sortBy: ({ contact }) => contact?.protocol ?? 0,
    cell: ({ contact }) => (typeof contact?.protocol === "number" ? numberText(contact.protocol) : UNKNOWN),
  },
];

interface PeersOverviewProps {
  peers: readonly PeerShown[];
  contacts: readonly PeerContact[] | undefined;
  queues: readonly PeerQueue[] | undefined;
}

/** All peers in a table that can be sorted; each name leads to the peer's card. */
export function PeersOverview({ peers, contacts, queues }: PeersOverviewProps) {
  const rows = peers.map((peer) => ({
    peer,
    contact: contacts?.find(({ name }) => name === peer.name),
    queue: queues?.find(({ name }) => name === peer.name),
  }));
  const count = peers.length;
  const caption = plural(count, { one: "# peer at a glance", other: "# peers at a glance" });
  return <DataTable dense caption={caption} columns={COLUMNS} rows={rows} rowId={({ peer }) => peer.name} />;
}
