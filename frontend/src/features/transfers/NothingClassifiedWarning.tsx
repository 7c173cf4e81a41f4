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
