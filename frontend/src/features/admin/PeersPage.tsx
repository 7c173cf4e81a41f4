import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Plus, Waypoints } from "lucide-react";
import { useState } from "react";
import { peerContactsQuery, peerQueuesQuery, peersQuery } from "@/api/peers";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { Loaded } from "@/components/ui/Loaded";
import { PageHeader } from "@/components/ui/PageHeader";
import { useSession } from "@/session/session";
import { CertificateDays } from "./peers/CertificateDays";
import { PairDialog } from "./peers/PairDialog";
import { PeerCard } from "./peers/PeerCard";
import { PeersOverview } from "./peers/PeersOverview";
import { peerAnchor } from "./peers/peer-anchor";

/** The gateways that this one exchanges documents with. */
export function PeersPage() {
  const { gateway } = useSession();
  const peers = useQuery(peersQuery);
  const queues = useQuery(peerQueuesQuery).data;
  const contacts = useQuery(peerContactsQuery).data;
  const [pairing, setPairing] = useState(false);
  const pair = (
    <Button tone="primary" icon={<Plus aria-hidden />} onClick={() => setPairing(true)}>
      {t`Pair with a gateway`}
    </Button>
  );
  const none = peers.data?.length === 0;
  return (
    <>
      <PageHeader dense title={t`Peers`} actions={!none && pair} actionsAwaited={peers.isPending}>
        {t`Gateways that ${gateway} exchanges documents with. Two paired gateways know each other by their keys.`}
      </PageHeader>
      <Loaded query={peers} what={t`the peers`} lines={4}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={<Waypoints aria-hidden />} title={t`No peers yet`} action={pair}>
              {t`Pair with another gateway to send and receive documents. Both admins exchange invitations, and read a code to each other by phone. It takes about five minutes.`}
            </EmptyState>
          ) : (
            <div className="flex flex-col gap-6">
              {list.length > 1 && <PeersOverview peers={list} contacts={contacts?.peers} queues={queues} />}
              {contacts && (
                <p className="text-sm">
                  <Trans>
                    Certificate of this gateway: <CertificateDays until={contacts.own_certificate_until} />
                  </Trans>
                </p>
              )}
              <ul className="flex flex-col gap-6">
                {list.map((peer) => (
                  <li key={peer.name} id={peerAnchor(peer.name)} className="scroll-mt-20">
                    <PeerCard
                      peer={peer}
                      queue={queues?.find(({ name }) => name === peer.name)}
                      contact={contacts?.peers.find(({ name }) => name === peer.name)}
                    />
                  </li>
                ))}
              </ul>
            </div>
          )
        }
      </Loaded>
      {pairing && <PairDialog onClose={() => setPairing(false)} />}
    </>
  );
}
