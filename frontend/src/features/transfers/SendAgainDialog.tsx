import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { asDraft, documentQuery } from "@/api/documents";
import type { Mode } from "@/api/transfers";
import type { TransferWhole } from "@/api/types";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { LazySendDialog } from "./LazySendDialog";
import type { SendAgain } from "./SendDialog";

interface SendAgainDialogProps {
  transfer: TransferWhole;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Sends the document of a transfer again as it was sent; the same people and options are chosen to begin with. */
export function SendAgainDialog({ transfer, open, onOpenChange }: SendAgainDialogProps) {
  const { data, error, refetch } = useQuery({ ...documentQuery(transfer.document_id), enabled: open });
  if (data) {
    return (
      <LazySendDialog drafts={[asDraft(data)]} again={againOf(transfer)} open={open} onOpenChange={onOpenChange} />
    );
  }
  return (
    <Dialog open={open && error !== null} onOpenChange={onOpenChange} title={t`Send again`} width="sm">
      <ErrorPanel title={t`The document could not be loaded.`} problem={error} onRetry={() => void refetch()} />
    </Dialog>
  );
}

function againOf({ peer, recipients, recipient_names, mode, plan }: TransferWhole): SendAgain {
  const isChosen = mode !== "auto";
  return {
    recipients: recipients.map((name, index) => ({ peer, name, display_name: recipient_names[index] ?? name })),
    options: {
      mode: mode as Mode,
      secure_channels: isChosen && plan.secure_channels > 1 ? plan.secure_channels : null,
      plain_channels: isChosen && plan.plain_channels > 1 ? plan.plain_channels : null,
    },
  };
}
