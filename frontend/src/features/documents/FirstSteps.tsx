import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { authorSteps } from "@/components/help/first-steps";
import { Steps } from "@/components/help/Steps";

/** Explains the three first steps to an author without documents. `start`: buttons for the first step. */
export function FirstSteps({ start }: { start: ReactNode }) {
  return (
    <section aria-labelledby="first-steps" className="sheet max-w-3xl">
      <h2 id="first-steps" className="mb-6 font-serif text-xl">
        <Trans>No documents yet. Get started in three steps</Trans>
      </h2>
      <Steps steps={authorSteps(start)} />
    </section>
  );
}
