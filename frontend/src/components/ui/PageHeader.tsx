import type { CSSProperties, ReactNode } from "react";
import { cx } from "@/lib/cx";
import { usePageHeading } from "../page-heading";

interface PageHeaderProps {
  /** The page's one `h1`, and the document's title. */
  title: string;
  /** Above the title: a link to the parent page. */
  above?: ReactNode;
  /** A sentence below the title. */
  children?: ReactNode;
  /** Buttons, with the main one last. */
  actions?: ReactNode;
  /** The sentence is beside the title, with less space around it: for pages with long lists. */
  dense?: boolean;
  /** The page does not know yet whether to show the actions: their space stays empty, so that nothing moves later. */
  actionsAwaited?: boolean;
}

const HIDDEN: CSSProperties = { visibility: "hidden" };

/** The header of every page. Its heading gets the focus after a navigation. */
export function PageHeader({
  title,
  above,
  children,
  actions,
  dense = false,
  actionsAwaited = false,
}: PageHeaderProps) {
  const { ref, documentTitle } = usePageHeading(title);
  return (
    <header
      className={cx(
        "flex flex-wrap items-end justify-between gap-x-6",
        dense ? "mb-3 gap-y-2 sm:-mt-5 short:mt-0" : "mb-6 gap-y-4 sm:mb-8 short:mb-3",
      )}
    >
      <title>{documentTitle}</title>
      <div className={cx("min-w-0", dense && "sm:flex sm:flex-wrap sm:items-baseline sm:gap-x-4")}>
        {above && <div className="mb-1 text-quiet text-sm">{above}</div>}
        <h1 ref={ref} tabIndex={-1} className="wrap-anywhere font-serif text-3xl leading-tight tracking-tight">
          {title}
        </h1>
        {children && <div className="wrap-anywhere mt-1 max-w-prose text-quiet">{children}</div>}
      </div>
      {actions && (
        <div className="flex flex-wrap gap-2" style={actionsAwaited ? HIDDEN : undefined}>
          {actions}
        </div>
      )}
    </header>
  );
}
