import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { codeQuery } from "@/api/peers";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { Loaded } from "@/components/ui/Loaded";
import { PairingCode } from "./PairingCode";

/** This gateway's code for a peer, which the peer's admin needs for a new invitation of this gateway. */
export function OurCodeDialog({ peer, onClose }: { peer: string; onClose: () => void }) {
  const code = useQuery(codeQuery(peer));
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t`Our code for ${peer}`}
      description={t`If this gateway has a new key or new addresses, read this code to the admin of ${peer} by phone.`}
      footer={<Button onClick={onClose}>{t`Close`}</Button>}
    >
      <Loaded query={code} what={t`the code`}>
        {(own) => <PairingCode code={own.code} />}
      </Loaded>
    </Dialog>
  );
}
