import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { LinkMade } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { Dialog } from "@/components/ui/Dialog";
import { RelativeTime } from "@/components/ui/RelativeTime";

interface OneTimeLinkDialogProps {
  title: string;
  description?: string;
  link: LinkMade;
  /** The person that it is for. */
  name: string;
  onClose: () => void;
}

/** Shows a new link once, to be sent to its person. */
export function OneTimeLinkDialog({ title, description, link, name, onClose }: OneTimeLinkDialogProps) {
  const address = new URL(link.url, globalThis.location.origin).href;
  return (
    <Dialog
      open
      insistent
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <Button tone="primary" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <output
          aria-label={t`One-time link for ${name}`}
          className="block select-all wrap-anywhere rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm"
        >
          {address}
        </output>
        <div>
          <CopyButton text={address} what={t`link`} worded />
        </div>
        <p className="text-quiet text-sm">
          <Trans>
            Send it to {name} in a way you trust. The first person to open it sets the password. It works once and
            expires <RelativeTime at={link.expires_at} />.
          </Trans>
        </p>
      </div>
    </Dialog>
  );
}
