import { Trans } from "@lingui/react/macro";
import { FileDown } from "lucide-react";

/** Covers the page while files are dragged over it. */
export function DropTarget() {
  return (
    <div className="pointer-events-none fixed inset-0 z-50 bg-desk/95 p-4">
      <div className="flex h-full flex-col items-center justify-center gap-2 rounded-lg border-2 border-ink border-dashed text-center">
        <FileDown aria-hidden className="size-10 stroke-1" />
        <p className="font-serif text-2xl">
          <Trans>Drop to import</Trans>
        </p>
        <p className="text-quiet">
          <Trans>You choose how to import files before they are uploaded.</Trans>
        </p>
      </div>
    </div>
  );
}
