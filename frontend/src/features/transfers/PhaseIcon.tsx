import { Ban, CircleCheck, Clock, Inbox, Send, TriangleAlert, Waypoints } from "lucide-react";
import { cx } from "@/lib/cx";
import type { Phase } from "./phase";

const DRAWN: Record<Phase, [typeof Send, string]> = {
  waiting: [Clock, "text-quiet"],
  reaching: [Waypoints, "text-quiet"],
  sending: [Send, ""],
  verified: [Inbox, ""],
  delivered: [CircleCheck, "text-ok"],
  failed: [TriangleAlert, "text-danger"],
  cancelled: [Ban, "text-quiet"],
};

/** The icon of a phase. Use it beside the word. */
export function PhaseIcon({ phase, className }: { phase: Phase; className?: string }) {
  const [Icon, colour] = DRAWN[phase];
  return <Icon aria-hidden className={cx("shrink-0", colour, className)} />;
}
