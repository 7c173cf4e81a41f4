import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { WhatIsThis } from "@/components/help/WhatIsThis";
import { type EstimatedPlan, figuresOf, summaryOf } from "./estimate";

/** How long sending should take and why, with the figures folded away. `children` continue the sentence. */
export function EstimateSummary({ plan, children }: { plan: EstimatedPlan; children?: ReactNode }) {
  const figures = figuresOf(plan);
  return (
    <div className="wrap-anywhere text-sm">
      <p>
        {summaryOf(plan)}
        {children} <WhatIsThis term="estimate" className="-my-1 align-middle" />
      </p>
      {figures.length > 0 && (
        <details className="text-quiet">
          <summary className="tap w-fit cursor-pointer py-1 hover:text-ink">{t`Show figures`}</summary>
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
