import type { DraftShown } from "@/api/types";
import { quotedNames } from "@/lib/prose";
import { type Confirmation, ConfirmWarning } from "./ConfirmWarning";

interface NothingClassifiedWarningProps extends Confirmation {
  /** Those of which nothing is classified; one at least. */
  readable: readonly DraftShown[];
  /** How many documents are sent. */
  of: number;
}

/** Nothing of a document is classified. */
export function NothingClassifiedWarning({ readable, of, ...confirmation }: NothingClassifiedWarningProps) {
  const several = readable.length > 1;
  return (
    <ConfirmWarning
      {...confirmation}
      label={`Send ${several ? "them" : "it"} unencrypted`}
      advice="Tick the box to confirm, choose the secure channel, or go back and mark what is classified."
    >
      <span className="font-medium">
        {of === 1 ? "Nothing in this document is classified." : <>Nothing is classified in {quotedNames(readable)}.</>}
      </span>{" "}
      Anyone can read {several ? "them" : "it"} in transit.
    </ConfirmWarning>
  );
}
