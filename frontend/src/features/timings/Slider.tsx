import { type ReactNode, useId, useState } from "react";
import { CONTROL } from "@/components/ui/Input";
import { numberIn, numberText } from "@/lib/numbers";
import { stepOf, valueAt } from "./capacity";

interface Unit {
  name: string;
  size: number;
}

interface SliderProps {
  label: string;
  value: number;
  limits: readonly [least: number, most: number];
  onChange: (value: number) => void;
  /** The value for people: "270 KB". */
  text: (value: number) => string;
  /** The unit of the number field, of which `value` is a multiple. */
  unit: Unit;
  /** Equal steps are equal factors, for values of several powers of ten. */
  logarithmic?: boolean;
  /** The least step of a slider with equal steps. */
  step?: number;
  disabled?: boolean;
  hint?: ReactNode;
}

/** A slider, and a field for the same number. */
export function Slider(props: SliderProps) {
  const {
    label,
    value,
    limits: [least, most],
    onChange,
    text,
    logarithmic = false,
    step = 1,
    disabled = false,
    hint,
  } = props;
  const id = useId();
  // What is in the field while somebody types: it need not be a number, and its unit stays the same.
  const [typed, setTyped] = useState<{ text: string; unit: Unit } | null>(null);
  const unit = typed?.unit ?? props.unit;
  const typedValue = typed === null ? Number.NaN : numberIn(typed.text) * unit.size;
  const isWithin = (number: number) => number >= least && number <= most;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-end justify-between gap-4">
        <label htmlFor={id} className="font-medium text-sm">
          {label}
        </label>
        <span className="flex items-center gap-2 text-quiet text-sm">
          <input
            // Not of type number, which browsers write in their own language instead of the page's.
            inputMode="decimal"
            autoComplete="off"
            aria-label={`${label}, ${unit.name}`}
            aria-invalid={typed !== null && !isWithin(typedValue)}
            disabled={disabled}
            value={typed?.text ?? numberText(value / unit.size, { maximumSignificantDigits: 3, useGrouping: false })}
            onChange={({ target }) => {
              setTyped({ text: target.value, unit });
              const number = numberIn(target.value) * unit.size;
              if (isWithin(number)) onChange(number);
            }}
            onBlur={() => {
              if (!Number.isNaN(typedValue)) onChange(Math.min(Math.max(typedValue, least), most));
              setTyped(null);
            }}
            className={`${CONTROL} h-8 pointer-coarse:h-11 w-24! text-right disabled:opacity-60`}
          />
          <span className="w-20">{unit.name}</span>
        </span>
      </div>
      <input
        id={id}
        type="range"
        disabled={disabled}
        {...(logarithmic ? { min: 0, max: 1000, step: 1 } : { min: least, max: most, step })}
        value={logarithmic ? stepOf(value, least, most) : value}
        aria-valuetext={text(value)}
        onChange={({ target }) =>
          onChange(logarithmic ? valueAt(target.valueAsNumber, least, most) : target.valueAsNumber)
        }
        className="h-6 pointer-coarse:h-11 w-full cursor-pointer accent-ink disabled:cursor-not-allowed disabled:opacity-60"
      />
      {hint && <p className="text-quiet text-xs">{hint}</p>}
    </div>
  );
}
