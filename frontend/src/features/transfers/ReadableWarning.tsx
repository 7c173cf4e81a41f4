import { TriangleAlert } from "lucide-react";
import { Checkbox } from "@/components/ui/Checkbox";

interface ReadableWarningProps {
  sure: boolean;
  onSure: (sure: boolean) => void;
  /** It was tried to send without being sure. */
  missing: boolean;
}

/** Nothing of the document is classified. That may be meant, or forgotten: it has to be said. */
export function ReadableWarning({ sure, onSure, missing }: ReadableWarningProps) {
  return (
    <div
      data-fault={missing || undefined}
      className="flex gap-3 rounded-md border border-plain-edge border-dashed bg-plain-ground px-4 py-3 text-sm"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-plain" />
      <div className="flex min-w-0 flex-col gap-2">
        <p>
          <span className="font-medium">Nothing in it is classified.</span> On both channels, all of it can be read on
          the way.
        </p>
        <Checkbox checked={sure} onCheckedChange={onSure} label="Send it readable for everybody on the way" />
        {missing && (
          <p role="alert" className="text-danger">
            Tick this if it is meant, choose the secure channel, or go back and mark what is classified.
          </p>
        )}
      </div>
    </div>
  );
}
