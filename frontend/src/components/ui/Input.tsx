import { Input as Base } from "@base-ui/react/input";
import type { ComponentProps } from "react";
import { cx } from "@/lib/cx";

export const CONTROL =
  "w-full rounded-md border border-edge bg-raised px-3 text-ink placeholder:text-quiet " +
  "hover:not-data-disabled:border-ink focus-visible:outline-2 focus-visible:outline-focus focus-visible:-outline-offset-1 " +
  "data-invalid:border-danger data-disabled:cursor-not-allowed data-disabled:opacity-60 text-base sm:text-sm";

/** A field for one line of text. Use it inside a `Field`, which labels it. */
export function Input({ className, ...rest }: Omit<ComponentProps<"input">, "className"> & { className?: string }) {
  return <Base {...rest} className={cx(CONTROL, "h-10 pointer-coarse:h-11", className)} />;
}
