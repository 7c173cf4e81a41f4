import { type PanelPart, panelId } from "./panel-titles";

/** Shows a panel and moves the focus there. */
export function showPanel(part: PanelPart): void {
  const panel = document.getElementById(panelId(part));
  panel?.scrollIntoView();
  panel?.focus({ preventScroll: true });
}

/** Whether a click asks for the link in another tab or window. */
export function opensElsewhere(event: Pick<MouseEvent, "ctrlKey" | "metaKey" | "shiftKey" | "altKey">): boolean {
  return event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
}
