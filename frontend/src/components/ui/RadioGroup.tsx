import { Radio } from "@base-ui/react/radio";
import { RadioGroup as Base } from "@base-ui/react/radio-group";
import { type ReactNode, useId } from "react";
import { cx } from "@/lib/cx";

export interface RadioChoice<Value extends string> {
  value: Value;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}

interface RadioGroupProps<Value extends string> {
  label: ReactNode;
  value: Value;
  onValueChange: (value: Value) => void;
  choices: readonly RadioChoice<Value>[];
  className?: string;
}

/** A choice between a few options, all visible. */
export function RadioGroup<Value extends string>(props: RadioGroupProps<Value>) {
  const id = useId();
  return (
    <div className={cx("flex flex-col gap-2", props.className)}>
      <span id={id} className="font-medium text-sm">
        {props.label}
      </span>
      <Base
        aria-labelledby={id}
        value={props.value}
        onValueChange={(value) => props.onValueChange(value as Value)}
        className="flex flex-col gap-2"
      >
        {props.choices.map((choice) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the control is Base UI's, inside the label
          <label
            key={choice.value}
            className="flex items-start gap-3 rounded-md border border-line bg-raised px-3 py-2.5 text-sm has-data-checked:border-ink has-data-disabled:opacity-60"
          >
            <Radio.Root
              value={choice.value}
              disabled={choice.disabled ?? false}
              className="mt-px flex size-5 shrink-0 items-center justify-center rounded-full border border-edge bg-raised hover:border-ink data-checked:border-ink"
            >
              <Radio.Indicator className="size-2.5 rounded-full bg-ink data-unchecked:hidden forced-colors:bg-[Highlight]" />
            </Radio.Root>
            <span className="min-w-0">
              <span className="font-medium">{choice.label}</span>
              {choice.hint && <span className="block text-quiet">{choice.hint}</span>}
            </span>
          </label>
        ))}
      </Base>
    </div>
  );
}
