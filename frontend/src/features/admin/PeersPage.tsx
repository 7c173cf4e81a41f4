import { useQuery } from "@tanstack/react-query";
import { Plus, Waypoints } from "lucide-react";
import { useState } from "react";
import { peersQuery } from "@/api/peers";
import { useSession } from "@/app/session";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { Skeleton } from "@/components/ui/Skeleton";
import { PairDialog } from "./peers/PairDialog";
import { PeerCard } from "./peers/PeerCard";

/** The gateways that this one sends to and receives from. */
export function PeersPage() {
  const { gateway } = useSession();
  const peers = useQuery(peersQuery);
  const [pairing, setPairing] = useState(false);
  const pair = (
    <Button tone="primary" icon={<Plus aria-hidden />} onClick={() => setPairing(true)}>
      Pair with a gateway
    </Button>
  );
  const none = peers.data?.length === 0;
  return (
    <>
      <PageHeader title="Peers" actions={!none && pair} actionsAwaited={peers.isPending}>
        Gateways that {gateway} exchanges documents with. Each pair identifies each other by key.
      </PageHeader>
      {peers.error && (
        <ErrorPanel title="Could not load the peers." problem={peers.error} onRetry={() => void peers.refetch()} />
      )}
      {peers.isPending && <Skeleton lines={4} label="Loading the peers" />}
      {none && (
        <EmptyState icon={<Waypoints aria-hidden />} title="No peers yet" action={pair}>
          Pair with another gateway to send and receive documents. Both admins exchange invitations and compare a code
          by phone. It takes about five minutes.
        </EmptyState>
      )}
      {peers.data && !none && (
        <ul className="flex flex-col gap-6">
          {peers.data.map((peer) => (
            <li key={peer.name}>
              <PeerCard peer={peer} />
            </li>
          ))}
        </ul>
      )}
      {pairing && <PairDialog onClose={() => setPairing(false)} />}
    </>
  );
}
