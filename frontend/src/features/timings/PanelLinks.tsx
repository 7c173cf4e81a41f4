import { t } from "@lingui/core/macro";
import type { MouseEvent } from "react";
import { PANEL_TITLES, type PanelPart, panelId } from "./panel-titles";
import { opensElsewhere, showPanel } from "./show-panel";

const PARTS = Object.keys(PANEL_TITLES) as PanelPart[];

/** Links to the panels, on a phone, where the page is ten screens long. */
export function PanelLinks() {
  return (
    <nav aria-label={t`On this page`} className="sm:hidden print:hidden">
      <p aria-hidden className="text-quiet text-sm">{t`On this page`}</p>
      <ul className="grid grid-cols-2 gap-x-4">
        {PARTS.map((part) => (
          <li key={part} className="border-line border-b">
            <a href={`#${panelId(part)}`} onClick={(event) => go(event, part)} className="flex min-h-11 items-center">
              {PANEL_TITLES[part]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The address stays, so that Back leads to the view before. */
function go(event: MouseEvent, part: PanelPart): void {
  if (opensElsewhere(event)) return;
  event.preventDefault();
  showPanel(part);
}
