import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";

export interface TooltipProps {
  /** Its text: the trigger's name, or more, but nothing that people need and can find nowhere else. */
  text: string;
  side?: "top" | "bottom" | "left" | "right";
  /** One focusable element. */
  children: ReactElement;
}

/** Text beside the element under the pointer. Its fixed position never makes the page wider. */
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
