import { type ReactNode, useLayoutEffect, useRef } from "react";
import { focusHeading } from "../page-heading";

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** The next step, in a sentence. */
  children?: ReactNode;
  action?: ReactNode;
}

/** Says that a list is empty and what to do. When it goes away with the focus, the page's heading gets the focus. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const here = box.current;
    return () => {
      if (here?.contains(document.activeElement)) requestAnimationFrame(focusHeading);
    };
  }, []);
  return (
    <div
      ref={box}
      className="flex flex-col items-center gap-2 rounded-lg border border-edge/50 border-dashed px-6 py-12 text-center"
    >
      {icon && <div className="mb-1 text-quiet [&_svg]:size-8 [&_svg]:stroke-[1.25]">{icon}</div>}
      <p className="wrap-anywhere max-w-full font-serif text-lg">{title}</p>
      {children && <div className="max-w-prose text-quiet text-sm">{children}</div>}
      {action && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
