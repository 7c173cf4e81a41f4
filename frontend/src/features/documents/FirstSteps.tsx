import type { ReactNode } from "react";
import { ChannelLegend } from "@/components/ChannelLegend";

/** Explains the three first steps to an author without documents. `start`: buttons for the first step. */
export function FirstSteps({ start }: { start: ReactNode }) {
  return (
    <section aria-labelledby="first-steps" className="sheet max-w-3xl">
      <h2 id="first-steps" className="font-serif text-xl">
        No documents yet. Get started in three steps
      </h2>
      <ol className="mt-6 flex flex-col gap-6">
        <Step number={1} title="Write or import">
          Create a new document, or import a file by dropping it anywhere on this page.
          <div className="mt-3 flex flex-wrap gap-2">{start}</div>
        </Step>
        <Step number={2} title="Mark">
          Select the text that must stay secret and mark it as classified, <mark className="classified">like this</mark>
          . Everything else is plain. You can preview what an eavesdropper would see.
        </Step>
        <Step number={3} title="Send">
          Choose recipients. Classified and plain content travel separately and are put back together on arrival. A
          small document is often faster over the secure channel alone. To see both channels at work, press Use both
          channels.
          <ChannelLegend className="mt-3 flex-col" />
        </Step>
      </ol>
    </section>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-4">
      <span
        aria-hidden
        className="flex size-8 shrink-0 items-center justify-center rounded-full border border-edge font-serif text-quiet"
      >
        {number}
      </span>
      <div className="min-w-0 pt-1">
        <h3 className="font-medium">{title}</h3>
        <div className="mt-0.5 max-w-prose text-quiet">{children}</div>
      </div>
    </li>
  );
}
