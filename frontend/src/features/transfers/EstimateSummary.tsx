import type { ReactNode } from "react";
import { type EstimatedPlan, figuresOf, summaryOf } from "./estimate";

/** How long sending should take and why, with the figures folded away. `children` continue the sentence. */
export function EstimateSummary({ plan, children }: { plan: EstimatedPlan; children?: ReactNode }) {
  const figures = figuresOf(plan);
  return (
    <div className="wrap-anywhere text-sm">
      <p>
        {summaryOf(plan)}
        {children}
      </p>
      {figures.length > 0 && (
        <details className="text-quiet">
          <summary className="tap w-fit cursor-pointer py-1 hover:text-ink">Show figures</summary>
          <ul className="list-disc pl-5">
            {figures.map((figure) => (
              <li key={figure}>{figure}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
