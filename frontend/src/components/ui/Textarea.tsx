import { Field } from "@base-ui/react/field";
import type { ComponentProps } from "react";
import { cx } from "@/lib/cx";
import { CONTROL } from "./Input";

/** Several lines of text, as tall as they are. Inside a `Field` it takes the field's label, hint and error. */
export function Textarea({ className, rows = 4, ...rest }: ComponentProps<"textarea">) {
  return (
    <Field.Control
      render={
        <textarea {...rest} rows={rows} className={cx(CONTROL, "field-sizing-content min-h-24 py-2", className)} />
      }
    />
  );
}
