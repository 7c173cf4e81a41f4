import { Button as BaseButton } from "@base-ui/react/button";
import { LoaderCircle } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { cx } from "@/lib/cx";

type ButtonTone = "primary" | "quiet" | "danger";

const SHAPE =
  "tap inline-flex items-center justify-center gap-2 rounded-md font-medium leading-none whitespace-nowrap no-underline " +
  "select-none transition-colors duration-100 data-disabled:cursor-not-allowed [&_svg]:size-4 [&_svg]:shrink-0";

const TONES: Record<ButtonTone, string> = {
  primary: "border border-ink bg-ink text-paper hover:not-data-disabled:bg-ink/85 active:not-data-disabled:bg-ink/75",
  quiet:
    "border border-edge/70 bg-raised text-ink hover:not-data-disabled:border-ink hover:not-data-disabled:bg-sunken active:not-data-disabled:bg-desk",
  danger:
    "border border-danger/60 bg-raised text-danger hover:not-data-disabled:border-danger hover:not-data-disabled:bg-danger-ground",
};

const SIZES = { sm: "h-8 px-3 text-sm", md: "h-10 pointer-coarse:h-11 px-4 text-sm" } as const;

/** The classes of a button, for links that look like one. */
export function buttonClass(tone: ButtonTone = "quiet", size: keyof typeof SIZES = "md"): string {
  return cx(SHAPE, TONES[tone], SIZES[size]);
}

interface ButtonProps extends Omit<ComponentProps<"button">, "color"> {
  tone?: ButtonTone;
  size?: keyof typeof SIZES;
  /** The action is in progress: the button keeps its focus and name and ignores clicks. */
  busy?: boolean;
  icon?: ReactNode;
}

/** A button, of type "button" by default. If its action disables it, it keeps the focus until the focus moves on. */
export function Button({ tone = "quiet", size = "md", busy = false, icon, className, children, ...rest }: ButtonProps) {
  const [focused, setFocused] = useState(false);
  return (
    <BaseButton
      {...rest}
      onFocus={(event) => {
        setFocused(true);
        rest.onFocus?.(event);
      }}
      onBlur={(event) => {
        setFocused(false);
        rest.onBlur?.(event);
      }}
      disabled={rest.disabled || busy}
      focusableWhenDisabled={busy || focused}
      aria-busy={busy || undefined}
      className={cx(buttonClass(tone, size), rest.disabled && "opacity-55", className)}
    >
      {busy ? <LoaderCircle className="animate-spin" aria-hidden /> : icon}
      {children}
    </BaseButton>
  );
}
