import type { ReactNode } from "react";

/** One thing that is so: a term and what it is. Inside a `dl`. */
export function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-3">
      <dt className="min-w-28 text-quiet">{term}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </div>
  );
}
