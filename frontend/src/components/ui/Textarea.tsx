import { Field } from "@base-ui/react/field";
import type { ComponentProps } from "react";
import { cx } from "@/lib/cx";
import { CONTROL } from "./Input";

/** A field for several lines of text that grows with its content. Use it inside a `Field`, which labels it. */
export function Textarea({ className, rows = 4, ...rest }: ComponentProps<"textarea">) {
  return (
    <Field.Control
      render={
        <textarea {...rest} rows={rows} className={cx(CONTROL, "field-sizing-content min-h-24 py-2", className)} />
      }
    />
  );
}
