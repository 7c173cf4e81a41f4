import { cx } from "@/lib/cx";

/** How bytes divide between the secure and the plain channel, in true proportion. `secure`: 0 to 1; null: no bytes. */
export function ShareBar({ secure, className = "h-1.5" }: { secure: number | null; className?: string }) {
  return (
    <div aria-hidden className={cx("flex gap-px overflow-hidden rounded-sm", className)}>
      {secure === null ? (
        <span className="flex-1 bg-ink/8" />
      ) : (
        <>
          {secure > 0 && <span className="bar-secure min-w-1" style={{ width: `${secure * 100}%` }} />}
          {secure < 1 && <span className="bar-plain min-w-1 flex-1" />}
        </>
      )}
    </div>
  );
}
