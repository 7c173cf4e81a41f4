import { Popover } from "@base-ui/react/popover";
import { t } from "@lingui/core/macro";
import { CircleHelp } from "lucide-react";
import { cx } from "@/lib/cx";
import { TERMS, type Term } from "./terms";

/** A small button beside a word, which says what the word means. */
export function WhatIsThis({ term, className }: { term: Term; className?: string }) {
  const { word, means } = TERMS[term];
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={t`What does “${word}” mean?`}
        className={cx(
          "tap relative inline-flex size-6 shrink-0 items-center justify-center self-center rounded-sm text-quiet hover:bg-ink/8 hover:text-ink data-popup-open:text-ink print:hidden",
          className,
        )}
      >
        <CircleHelp aria-hidden className="size-3.5" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner positionMethod="fixed" sideOffset={6} collisionPadding={12} className="z-50">
          <Popover.Popup className="max-w-72 rounded-md bg-raised px-4 py-3 text-ink text-sm shadow-float outline-none forced-colors:border">
            <Popover.Title className="font-medium">{word}</Popover.Title>
            <Popover.Description className="mt-1 text-quiet">{means}</Popover.Description>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
