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
      label={`Send ${several ? "them" : "it"} readable for everybody on the way`}
      advice="Tick this if it is meant, choose the secure channel, or go back and mark what is classified."
    >
      <span className="font-medium">
        {of === 1 ? "Nothing in it is classified." : <>Nothing is classified in {quotedNames(readable)}.</>}
      </span>{" "}
      On both channels, all of {several ? "them" : "it"} can be read on the way.
    </ConfirmWarning>
  );
}
