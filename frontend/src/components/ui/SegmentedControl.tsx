import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

export interface Segment<Value extends string> {
  value: Value;
  label: string;
  icon?: ReactNode;
  /** Shows only the icon; the label is its name. */
  iconOnly?: boolean;
}

interface SegmentedControlProps<Value extends string> {
  /** Its name, for screen readers. */
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  segments: readonly Segment<Value>[];
  className?: string;
}

/** A choice between a few short words side by side, such as views. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  return (
    <ToggleGroup
      aria-label={props.label}
      value={[props.value]}
      onValueChange={([value]) => value !== undefined && props.onValueChange(value as Value)}
      className={cx(
        "inline-flex w-fit max-w-full flex-wrap rounded-md border border-line bg-sunken p-0.5",
        props.className,
      )}
    >
      {props.segments.map((segment) => (
        <Toggle
          key={segment.value}
          value={segment.value}
          aria-label={segment.iconOnly ? segment.label : undefined}
          title={segment.iconOnly ? segment.label : undefined}
          className="inline-flex h-8 pointer-coarse:h-11 pointer-coarse:min-w-11 items-center justify-center gap-1.5 whitespace-nowrap rounded-sm border border-transparent px-3 font-medium text-quiet text-sm hover:text-ink data-pressed:border-edge/50 data-pressed:bg-raised data-pressed:text-ink [&_svg]:size-4"
        >
          {segment.icon}
          {!segment.iconOnly && segment.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
