import { Progress as Base } from "@base-ui/react/progress";
import { cx } from "@/lib/cx";

export interface ProgressProps {
  label: string;
  labelHidden?: boolean;
  /** 0 to `max`, or null while nobody knows. */
  value: number | null;
  max?: number;
  className?: string;
}

/** How far something is. For the two channels of a transfer there is `ChannelProgress`. */
export function Progress({ label, labelHidden = false, value, max = 100, className }: ProgressProps) {
  return (
    <Base.Root value={value} max={max} className={cx("flex flex-wrap justify-between gap-1 text-sm", className)}>
      <Base.Label className={labelHidden ? "sr-only" : "text-quiet"}>{label}</Base.Label>
      {!labelHidden && <Base.Value />}
      <Base.Track className="h-1.5 w-full overflow-hidden rounded-full bg-ink/12 forced-colors:border">
        <Base.Indicator
          className={cx(
            "h-full rounded-full bg-ink transition-[width] duration-300 forced-colors:bg-[Highlight]",
            value === null && "w-1/3 animate-pulse",
          )}
        />
      </Base.Track>
    </Base.Root>
  );
}
