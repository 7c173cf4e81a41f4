import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { removePeer } from "@/api/peers";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { toast } from "@/components/ui/toasts";

interface RemovePeerDialogProps {
  peer: string;
  onClose: () => void;
  onRemoved: () => Promise<void>;
}

/** Asks before a peer is removed. */
export function RemovePeerDialog({ peer, onClose, onRemoved }: RemovePeerDialogProps) {
  const removing = useMutation({
    mutationFn: () => removePeer(peer),
    onSuccess: async () => {
      toast(t`${peer} removed`);
      await onRemoved();
    },
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t`Remove ${peer}?`}
      confirm={t`Remove`}
      action={removing}
      onConfirm={() => removing.mutate()}
    >
      {t`Connections close immediately, and transfers waiting for ${peer} fail. Delivered documents stay. To exchange documents again, both admins must pair the gateways again.`}
    </ConfirmDialog>
  );
}
