import { type Meant, MeantWarning } from "./MeantWarning";

/** Nothing of the document is classified. */
export function ReadableWarning(meant: Meant) {
  return (
    <MeantWarning
      {...meant}
      label="Send it readable for everybody on the way"
      advice="Tick this if it is meant, choose the secure channel, or go back and mark what is classified."
    >
      <span className="font-medium">Nothing in it is classified.</span> On both channels, all of it can be read on the
      way.
    </MeantWarning>
  );
}
