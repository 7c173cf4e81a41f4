import { TriangleAlert } from "lucide-react";
import { Checkbox } from "@/components/ui/Checkbox";

interface SendDialogFindingsProps {
  /** Places in which text is plain that is marked elsewhere. */
  count: number;
  sure: boolean;
  onSure: (sure: boolean) => void;
  /** It was tried to send without being sure. */
  missing: boolean;
}

/** What is marked in one place is plain in another. That may be meant, or forgotten: it has to be said. */
export function SendDialogFindings({ count, sure, onSure, missing }: SendDialogFindingsProps) {
  return (
    <div
      data-fault={missing || undefined}
      className="flex gap-3 rounded-md border border-plain-edge border-dashed bg-plain-ground px-4 py-3 text-sm"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-plain" />
      <div className="flex min-w-0 flex-col gap-2">
        <p>
          <span className="font-medium">
            {count === 1 ? "1 place holds" : `${count.toLocaleString("en")} places hold`} unmarked text that is marked
            elsewhere in the document.
          </span>{" "}
          Whoever may read the plain part reads it there.
        </p>
        <Checkbox checked={sure} onCheckedChange={onSure} label="Send it with these places as they are" />
        {missing && (
          <p role="alert" className="text-danger">
            Tick this if it is meant, or go back and mark them.
          </p>
        )}
      </div>
    </div>
  );
}
