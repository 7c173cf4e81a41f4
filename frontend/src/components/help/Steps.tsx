import type { ReactNode } from "react";

export interface Step {
  readonly title: string;
  readonly body: ReactNode;
}

/** Steps, one after the other. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="flex flex-col gap-6">
      {steps.map(({ title, body }, index) => (
        <li key={title} className="flex gap-4">
          <span
            aria-hidden
            className="flex size-8 shrink-0 items-center justify-center rounded-full border border-edge font-serif text-quiet"
          >
            {index + 1}
          </span>
          <div className="min-w-0 pt-1">
            <h3 className="font-medium">{title}</h3>
            <div className="mt-0.5 max-w-prose text-quiet">{body}</div>
          </div>
        </li>
      ))}
    </ol>
  );
}
