/** Scrolls to a marked area within `root`; with `focus` moves the focus to its button. Returns false if it is not drawn. */
export function showArea(root: HTMLElement | null, address: string, focus = true): boolean {
  const area = root?.querySelector(`[data-area="${CSS.escape(address)}"]`);
  if (!area) return false;
  area.scrollIntoView({ block: "center" });
  if (focus) area.querySelector("button")?.focus({ preventScroll: true });
  return true;
}
