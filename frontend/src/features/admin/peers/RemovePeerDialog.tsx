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
      toast(`${peer} removed`);
      await onRemoved();
    },
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={`Remove ${peer}?`}
      confirm="Remove"
      action={removing}
      onConfirm={() => removing.mutate()}
    >
      Connections close immediately, and transfers waiting for {peer} fail. Delivered documents stay. To exchange
      documents again, both admins must pair the gateways again.
    </ConfirmDialog>
  );
}
