import { t } from "@lingui/core/macro";
import type { TimingsPart } from "@/api/timings";

export type PanelPart = Exclude<TimingsPart, "cell">;

/** The panels in the order of the page. */
export const PANEL_TITLES: Readonly<Record<PanelPart, string>> = {
  standouts: t`What stands out`,
  summary: t`At a glance`,
  responses: t`Durations over time`,
  phases: t`Where time goes`,
  modes: t`Modes compared`,
  points: t`Every transfer`,
  queue: t`Queue and peers`,
  capacity: t`Capacity`,
};

/** The id of a panel's element, for links to it. */
export function panelId(part: PanelPart): string {
  return `panel-${part}`;
}
