import { Field as Base } from "@base-ui/react/field";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

interface FieldProps {
  label: ReactNode;
  /** Its purpose or its rules. */
  hint?: ReactNode;
  /** What is wrong with its content. */
  error?: string | null | undefined;
  /** The label is for screen readers only. */
  labelHidden?: boolean;
  disabled?: boolean;
  className?: string;
  children: ReactNode;
}

/** A control with its label, hint and error: `<Field label="Name"><Input … /></Field>`. */
export function Field({ label, hint, error, labelHidden = false, disabled = false, className, children }: FieldProps) {
  return (
    <Base.Root className={cx("flex flex-col gap-1", className)} invalid={Boolean(error)} disabled={disabled}>
      <Base.Label className={labelHidden ? "sr-only" : "font-medium text-sm"}>{label}</Base.Label>
      {children}
      {error && (
        <Base.Error match className="text-danger text-sm">
          {error}
        </Base.Error>
      )}
      {hint && (
        <Base.Description render={<div />} className="text-quiet text-sm">
          {hint}
        </Base.Description>
      )}
    </Base.Root>
  );
}
