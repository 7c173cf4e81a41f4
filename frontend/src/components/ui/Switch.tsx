import { Switch as Base } from "@base-ui/react/switch";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export interface SwitchProps {
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
  className?: string;
}

/** On or off, at once (a checkbox is for what a form sends later). */
export function Switch({ label, hint, className, ...rest }: SwitchProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is Base UI's, inside the label
    <label className={cx("flex items-start gap-3 text-sm", rest.disabled && "opacity-60", className)}>
      <Base.Root
        {...rest}
        className="relative mt-px flex h-5 w-9 shrink-0 rounded-full border border-edge bg-sunken p-px transition-colors hover:border-ink data-checked:border-ink data-checked:bg-ink"
      >
        <Base.Thumb className="size-4 rounded-full bg-edge transition-[translate] duration-150 data-checked:translate-x-4 data-checked:bg-paper forced-colors:bg-[ButtonText] forced-colors:data-checked:bg-[Highlight]" />
      </Base.Root>
      <span className="min-w-0">
        {label}
        {hint && <span className="block text-quiet">{hint}</span>}
      </span>
    </label>
  );
}
