import { Checkbox as Base } from "@base-ui/react/checkbox";
import { Check, Minus } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

interface CheckboxProps {
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  label: ReactNode;
  hint?: ReactNode;
  /** Some, but not all, of several things are on. */
  indeterminate?: boolean;
  disabled?: boolean;
  labelHidden?: boolean;
  className?: string;
}

/** A checkbox with its label. */
export function Checkbox({
  label,
  hint,
  labelHidden = false,
  className,
  indeterminate = false,
  ...rest
}: CheckboxProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is Base UI's, inside the label
    <label className={cx("flex items-start gap-3 text-sm", rest.disabled && "opacity-60", className)}>
      <Base.Root
        {...rest}
        indeterminate={indeterminate}
        className="mt-px flex size-5 shrink-0 items-center justify-center rounded-sm border border-edge bg-raised hover:border-ink data-checked:border-ink data-checked:bg-ink data-indeterminate:border-ink data-indeterminate:bg-ink"
      >
        <Base.Indicator className="text-paper data-unchecked:hidden [&_svg]:size-4 [&_svg]:stroke-3">
          {indeterminate ? <Minus aria-hidden /> : <Check aria-hidden />}
        </Base.Indicator>
      </Base.Root>
      <span className={labelHidden ? "sr-only" : "min-w-0"}>
        {label}
        {hint && <span className="block text-quiet">{hint}</span>}
      </span>
    </label>
  );
}
