import { Progress as Base } from "@base-ui/react/progress";

interface ProgressProps {
  label: string;
  /** 0 to `max`. */
  value: number;
  max: number;
}

/** A progress bar. For the two channels of a transfer, use `ChannelProgress`. */
export function Progress({ label, value, max }: ProgressProps) {
  return (
    <Base.Root value={value} max={max} className="flex flex-wrap justify-between gap-1 text-sm">
      <Base.Label className="text-quiet">{label}</Base.Label>
      <Base.Value />
      <Base.Track className="h-1.5 w-full overflow-hidden rounded-full bg-ink/12 forced-colors:border">
        <Base.Indicator className="h-full rounded-full bg-ink transition-[width] duration-300 forced-colors:bg-[Highlight]" />
      </Base.Track>
    </Base.Root>
  );
}
