import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";

export interface TooltipProps {
  /** What it says. It repeats or adds to the trigger's name; it must not be the only place of something needed. */
  text: string;
  side?: "top" | "bottom" | "left" | "right";
  /** One element that takes focus. */
  children: ReactElement;
}

/** A word beside what one points at. Fixed: it never makes the page wider, not even when a phone is turned beneath it. */
export function Tooltip({ text, side = "bottom", children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner positionMethod="fixed" side={side} sideOffset={6} className="z-50">
          <Base.Popup className="max-w-64 rounded-sm bg-ink px-2 py-1 text-paper text-xs shadow-float transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
