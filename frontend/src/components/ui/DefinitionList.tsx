import type { ReactNode } from "react";

/** A list of terms and values, as `Definition`s. */
export function DefinitionList({ children }: { children: ReactNode }) {
  return <dl className="flex flex-col gap-3 text-sm sm:gap-0.5">{children}</dl>;
}

/** One term and its value. */
export function Definition({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="gap-x-4 sm:grid sm:min-h-7 sm:grid-cols-[9rem_1fr] sm:items-baseline sm:pb-1">
      <dt className="text-quiet">{term}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </div>
  );
}
