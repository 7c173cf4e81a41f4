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
        The gateways that {gateway} sends to and receives from. Each knows the other by its key alone.
      </PageHeader>
      {peers.error && (
        <ErrorPanel title="The peers could not be loaded." problem={peers.error} onRetry={() => void peers.refetch()} />
      )}
      {peers.isPending && <Skeleton lines={4} label="Loading the peers" />}
      {none && (
        <EmptyState icon={<Waypoints aria-hidden />} title="No peer yet" action={pair}>
          Nothing can be sent or received before two gateways are paired. It takes both admins, five minutes, and a
          call: each gives the other an invitation, and both compare a code by voice.
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
