import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Checkbox } from "@/components/ui/Checkbox";

export interface Confirmation {
  sure: boolean;
  onSure: (sure: boolean) => void;
  /** It was tried to send without being sure. */
  missing: boolean;
}

interface ConfirmWarningProps extends Confirmation {
  children: ReactNode;
  /** What is ticked by people who mean it. */
  label: string;
  /** What to do, for people who tried without. */
  advice: string;
}

/** Something that may be meant, or forgotten: it has to be said before a document is sent. */
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
