import { cx } from "@/lib/cx";

/** Grey lines while something loads. Screen readers announce `label`; give it to the outermost skeleton. */
export function Skeleton({ lines = 3, label, className }: { lines?: number; label?: string; className?: string }) {
  return (
    <div role={label ? "status" : undefined} className={cx("flex flex-col gap-3", className)}>
      {label && <span className="sr-only">{label}</span>}
      {Array.from({ length: lines }, (_, line) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
          key={line}
          className={cx("h-4 animate-pulse rounded-sm bg-ink/8", line === lines - 1 && lines > 1 ? "w-2/3" : "w-full")}
        />
      ))}
    </div>
  );
}
