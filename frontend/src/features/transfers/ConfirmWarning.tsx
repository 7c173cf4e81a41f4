import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Checkbox } from "@/components/ui/Checkbox";

export interface Confirmation {
  sure: boolean;
  onSure: (sure: boolean) => void;
  /** The author tried to send without confirming. */
  missing: boolean;
}

interface ConfirmWarningProps extends Confirmation {
  children: ReactNode;
  /** The label of the box that confirms. */
  label: string;
  /** What to do, shown if `missing`. */
  advice: string;
}

/** A warning that the author must confirm before sending. */
export function ConfirmWarning({ sure, onSure, missing, children, label, advice }: ConfirmWarningProps) {
  return (
    <div
      data-fault={missing || undefined}
      className="flex gap-3 rounded-md border border-plain-edge border-dashed bg-plain-ground px-4 py-3 text-sm"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-plain" />
      <div className="flex min-w-0 flex-col gap-2">
        <p>{children}</p>
        <Checkbox checked={sure} onCheckedChange={onSure} label={label} />
        {missing && (
          <p role="alert" className="text-danger">
            {advice}
          </p>
        )}
      </div>
    </div>
  );
}
