import { type Meant, MeantWarning } from "./MeantWarning";

interface SendDialogFindingsProps extends Meant {
  /** Places in which text is plain that is marked elsewhere. */
  count: number;
}

/** What is marked in one place is plain in another. */
export function SendDialogFindings({ count, ...meant }: SendDialogFindingsProps) {
  return (
    <MeantWarning
      {...meant}
      label="Send it with these places as they are"
      advice="Tick this if it is meant, or go back and mark them."
    >
      <span className="font-medium">
        {count === 1 ? "1 place holds" : `${count.toLocaleString("en")} places hold`} unmarked text that is marked
        elsewhere in the document.
      </span>{" "}
      Whoever may read the plain part reads it there.
    </MeantWarning>
  );
}
