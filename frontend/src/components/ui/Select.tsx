import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import { cx } from "@/lib/cx";
import { CONTROL } from "./Input";
import { OPTION, POPUP } from "./Menu";

interface SelectChoice<Value extends string> {
  value: Value;
  label: string;
  hint?: string;
}

interface SelectProps<Value extends string> {
  label: string;
  labelHidden?: boolean;
  value: Value;
  onValueChange: (value: Value) => void;
  choices: readonly SelectChoice<Value>[];
  disabled?: boolean;
  className?: string;
}

/** A choice from a list that opens. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", props.className)}>
      <Base.Root
        items={props.choices}
        value={props.value}
        onValueChange={(value) => value !== null && props.onValueChange(value as Value)}
        disabled={props.disabled ?? false}
      >
        <Base.Label className={props.labelHidden ? "sr-only" : "font-medium text-sm"}>{props.label}</Base.Label>
        <Base.Trigger
          className={cx(CONTROL, "flex h-10 pointer-coarse:h-11 items-center justify-between gap-2 text-left")}
        >
          <Base.Value className="truncate" />
          <Base.Icon className="text-quiet [&_svg]:size-4">
            <ChevronsUpDown aria-hidden />
          </Base.Icon>
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner
            positionMethod="fixed"
            sideOffset={4}
            alignItemWithTrigger={false}
            className="z-50 outline-none"
          >
            <Base.Popup className={POPUP}>
              <Base.List className="max-h-(--available-height) overflow-y-auto">
                {props.choices.map((choice) => (
                  <Base.Item key={choice.value} value={choice.value} className={OPTION}>
                    <span className="size-4">
                      <Base.ItemIndicator>
                        <Check aria-hidden />
                      </Base.ItemIndicator>
                    </span>
                    <span className="wrap-anywhere min-w-0">
                      <Base.ItemText>{choice.label}</Base.ItemText>
                      {choice.hint && <span className="block text-quiet text-xs">{choice.hint}</span>}
                    </span>
                  </Base.Item>
                ))}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </div>
  );
}
