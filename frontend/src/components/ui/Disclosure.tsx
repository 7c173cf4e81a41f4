import { Collapsible } from "@base-ui/react/collapsible";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

interface DisclosureProps {
  title: string;
  /** The current choices, shown beside the title while it is closed. */
  summary: ReactNode;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
}

/** Options that most people do not change, behind a button. */
export function Disclosure({ title, summary, open, onOpenChange, children }: DisclosureProps) {
  return (
    <Collapsible.Root open={open} onOpenChange={onOpenChange}>
      <Collapsible.Trigger className="-mx-2 flex min-h-10 pointer-coarse:min-h-11 w-[calc(100%+1rem)] items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-ink/5 [&[data-panel-open]_svg]:rotate-90">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-quiet transition-transform" />
        <span className="shrink-0 font-medium">{title}</span>
        {summary && !open && <span className="min-w-0 truncate text-quiet">{summary}</span>}
      </Collapsible.Trigger>
      <Collapsible.Panel className="pt-3">{children}</Collapsible.Panel>
    </Collapsible.Root>
  );
}
