import { Button as BaseButton } from "@base-ui/react/button";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Tooltip, type TooltipProps } from "./Tooltip";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  /** Its name, also shown as a tooltip. */
  label: string;
  icon: ReactNode;
  size?: "sm" | "md";
  /** For a button that switches something on and off. */
  pressed?: boolean;
  side?: TooltipProps["side"];
}

/** A button that shows only an icon. */
export function IconButton({
  label,
  icon,
  size = "md",
  pressed,
  side = "bottom",
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} side={side}>
      <BaseButton
        {...rest}
        aria-label={label}
        aria-pressed={pressed}
        className={cx(
          "tap inline-flex shrink-0 items-center justify-center rounded-md border border-transparent text-quiet transition-colors duration-100",
          "hover:not-data-disabled:bg-ink/8 hover:not-data-disabled:text-ink data-disabled:cursor-not-allowed data-disabled:opacity-50",
          "aria-pressed:border-edge/60 aria-pressed:bg-ink/8 aria-pressed:text-ink [&_svg]:size-[1.125rem]",
          size === "sm" ? "size-8 pointer-coarse:size-11" : "size-10 pointer-coarse:size-11",
          className,
        )}
      >
        {icon}
      </BaseButton>
    </Tooltip>
  );
}
