import { t } from "@lingui/core/macro";
import type { DraftShown } from "@/api/types";
import { quotedNames } from "@/lib/prose";
import { type Confirmation, ConfirmWarning } from "./ConfirmWarning";

interface NothingClassifiedWarningProps extends Confirmation {
  /** The documents in which nothing is classified; at least one. */
  readable: readonly DraftShown[];
  /** How many documents will be sent. */
  of: number;
}

/** Warns that nothing is classified in some of the documents. */
export function NothingClassifiedWarning({ readable, of, ...confirmation }: NothingClassifiedWarningProps) {
  const several = readable.length > 1;
  return (
    <ConfirmWarning
      {...confirmation}
      label={several ? t`Send them unencrypted` : t`Send it unencrypted`}
      advice={t`Tick the box to confirm, choose the secure channel, or go back and mark what is classified.`}
    >
      <span className="font-medium">
        {of === 1 ? t`Nothing in this document is classified.` : t`Nothing is classified in ${quotedNames(readable)}.`}
      </span>{" "}
      {several ? t`Anyone can read them in transit.` : t`Anyone can read it in transit.`}
    </ConfirmWarning>
  );
}
