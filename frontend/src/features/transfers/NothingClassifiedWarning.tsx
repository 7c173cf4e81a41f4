import type { DraftShown } from "@/api/types";
import { namesOf } from "@/lib/prose";
import { type Meant, MeantWarning } from "./ConfirmWarning";

interface ReadableWarningProps extends Meant {
  /** Those of which nothing is classified; one at least. */
  readable: readonly DraftShown[];
  /** How many documents are sent. */
  of: number;
}

/** Nothing of a document is classified. */
export function ReadableWarning({ readable, of, ...meant }: ReadableWarningProps) {
  const several = readable.length > 1;
  return (
    <MeantWarning
      {...meant}
      label={`Send ${several ? "them" : "it"} readable for everybody on the way`}
      advice="Tick this if it is meant, choose the secure channel, or go back and mark what is classified."
    >
      <span className="font-medium">
        {of === 1 ? "Nothing in it is classified." : <>Nothing is classified in {namesOf(readable)}.</>}
      </span>{" "}
      On both channels, all of {several ? "them" : "it"} can be read on the way.
    </MeantWarning>
  );
}
