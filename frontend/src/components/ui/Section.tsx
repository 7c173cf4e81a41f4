import { type ReactNode, useId } from "react";

interface SectionProps {
  /** For links to it. */
  id?: string | undefined;
  title: string;
  /** After the title: a button that explains it. */
  help?: ReactNode;
  /** A sentence below the title. */
  lead?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}

/** A part of a page with its own heading (h2). */
export function Section({ id, title, help, lead, actions, children }: SectionProps) {
  const heading = useId();
  return (
    <section
      id={id}
      aria-labelledby={heading}
      tabIndex={-1}
      className="flex scroll-mt-18 flex-col gap-4 outline-none short:scroll-mt-4"
    >
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <div className="flex items-center gap-2">
            <h2 id={heading} className="font-serif text-xl">
              {title}
            </h2>
            {help}
          </div>
          {lead && <p className="max-w-prose text-quiet text-sm">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
