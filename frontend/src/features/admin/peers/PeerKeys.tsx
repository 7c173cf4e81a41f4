import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { retirePin } from "@/api/peers";
import type { PeerShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { Digest } from "@/components/ui/Digest";

/** The keys of a peer: one, or two during a renewal, of which either can be retired. */
export function PeerKeys({ peer, onRetired }: { peer: PeerShown; onRetired: () => Promise<void> }) {
  const { name } = peer;
  const [ending, setEnding] = useState<string | null>(null);
  const retiring = useMutation({
    mutationFn: (pin: string) => retirePin(peer.name, pin),
    onSuccess: onRetired,
  });
  return (
    <>
      <ul className="flex flex-col gap-1">
        {peer.pins.map((pin) => (
          <li key={pin} className="flex flex-wrap items-center gap-3">
            <Digest value={pin} what={t`key`} />
            {peer.pins.length > 1 && (
              <Button size="sm" aria-label={retireText(pin)} onClick={() => setEnding(pin)}>
                {t`Retire this key`}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {ending && (
        <ConfirmDialog
          onClose={() => {
            // The next question must not show this one's error.
            retiring.reset();
            setEnding(null);
          }}
          title={retireQuestion(ending)}
          confirm={t`Retire key`}
          action={retiring}
          onConfirm={() => retiring.mutate(ending, { onSuccess: () => setEnding(null) })}
        >
          {t`${name} will then be able to connect only with its other key. Do this once its admin confirms that the new key is in use.`}
        </ConfirmDialog>
      )}
    </>
  );
}

function retireText(pin: string): string {
  const start = pin.slice(0, 8);
  return t`Retire key ${start}`;
}

function retireQuestion(pin: string): string {
  const start = pin.slice(0, 8);
  return t`Retire key ${start}…?`;
}
