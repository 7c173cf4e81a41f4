import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { EllipsisVertical, PlugZap } from "lucide-react";
import { useId, useState } from "react";
import { type PeerContact, type PeerQueue, peerContactsQuery, peersQuery, testPeer } from "@/api/peers";
import type { PeerShown } from "@/api/types";
import { Badge } from "@/components/ui/Badge";
import { Button } from "@/components/ui/Button";
import { Definition, DefinitionList } from "@/components/ui/DefinitionList";
import { Digest } from "@/components/ui/Digest";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { IconButton } from "@/components/ui/IconButton";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/Menu";
import { durationText } from "@/lib/durations";
import { CompareCode } from "./CompareCode";
import { OurCodeDialog } from "./OurCodeDialog";
import { PeerContactFacts } from "./PeerContactFacts";
import { PeerKeys } from "./PeerKeys";
import { PeerQueueFacts } from "./PeerQueueFacts";
import { RemovePeerDialog } from "./RemovePeerDialog";
import { RenewDialog } from "./RenewDialog";

interface PeerCardProps {
  peer: PeerShown;
  queue: PeerQueue | undefined;
  contact: PeerContact | undefined;
}

/** One peer: how sending to it goes, its addresses, its keys, and a connection test. */
export function PeerCard({ peer, queue, contact }: PeerCardProps) {
  const title = useId();
  const { name } = peer;
  const client = useQueryClient();
  const [dialog, setDialog] = useState<"renew" | "code" | "remove" | null>(null);
  const testing = useMutation({
    mutationFn: () => testPeer(peer.name),
    onSettled: () => client.invalidateQueries({ queryKey: peerContactsQuery.queryKey }),
  });
  const active = peer.state === "active";
  const changed = () => client.invalidateQueries({ queryKey: peersQuery.queryKey });
  return (
    <article aria-labelledby={title} className="flex flex-col gap-5 rounded-lg bg-paper p-6 shadow-sheet">
      <header className="flex flex-wrap items-center gap-3">
        <h2 id={title} className="min-w-0 wrap-anywhere font-serif text-xl">
          {peer.name}
        </h2>
        <Badge tone={active ? "ok" : "plain"}>{active ? t`Paired` : t`Waiting for code`}</Badge>
        <div className="ml-auto flex items-center gap-2">
          {active && (
            <Button icon={<PlugZap aria-hidden />} busy={testing.isPending} onClick={() => testing.mutate()}>
              {t`Test connection`}
            </Button>
          )}
          <Menu trigger={<IconButton label={t`Actions for ${name}`} icon={<EllipsisVertical />} />}>
            {active && <MenuItem onClick={() => setDialog("renew")}>{t`Add new invitation`}</MenuItem>}
            {active && <MenuItem onClick={() => setDialog("code")}>{t`Show our code`}</MenuItem>}
            {active && <MenuSeparator />}
            <MenuItem tone="danger" onClick={() => setDialog("remove")}>
              {t`Remove`}
            </MenuItem>
          </Menu>
        </div>
      </header>
      {!active && <CompareCode peer={peer.name} onConfirmed={changed} />}
      <div aria-live="polite" className="empty:hidden">
        {testing.data && <p className="text-sm">{answeredText(name, durationText(testing.data.latency_ms))}</p>}
      </div>
      {testing.error && <ErrorPanel title={t`${name} did not answer.`} problem={testing.error} />}
      <DefinitionList>
        {active && queue && <PeerQueueFacts queue={queue} />}
        {active && contact && <PeerContactFacts contact={contact} testedMs={testing.data?.latency_ms ?? null} />}
        <Definition term={t`Secure channel`}>
          <span className="wrap-anywhere">{peer.secure_url}</span>
        </Definition>
        <Definition term={t`Plain channel`}>
          <span className="wrap-anywhere">{peer.plain_url}</span>
        </Definition>
        <Definition term={peer.pins.length > 1 ? t`Keys` : t`Key`}>
          <PeerKeys peer={peer} onRetired={changed} />
        </Definition>
        <Definition term={t`Receipt key`}>
          <Digest value={peer.receipt_key} what={t`receipt key`} />
        </Definition>
      </DefinitionList>
      {dialog === "renew" && <RenewDialog peer={peer.name} onClose={() => setDialog(null)} onRenewed={changed} />}
      {dialog === "code" && <OurCodeDialog peer={peer.name} onClose={() => setDialog(null)} />}
      {dialog === "remove" && <RemovePeerDialog peer={peer.name} onClose={() => setDialog(null)} onRemoved={changed} />}
    </article>
  );
}

const answeredText = (name: string, duration: string) => t`${name} answered in ${duration}.`;
