import type { ReactNode } from "react";

/** A list of names and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="flex flex-col gap-3 text-sm sm:gap-0.5">{children}</dl>;
}

/** One of `Facts`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="gap-x-4 sm:grid sm:min-h-7 sm:grid-cols-[9rem_1fr] sm:items-baseline sm:pb-1">
      <dt className="text-quiet">{name}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </div>
  );
}
