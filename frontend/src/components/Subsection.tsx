import type { ReactNode } from "react";

/** A part of a panel with its own heading (h3). */
export function Subsection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <h3 className="font-medium">{title}</h3>
      {children}
    </div>
  );
}
