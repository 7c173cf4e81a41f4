import type { KeyboardEvent, ReactNode } from "react";

/** Read-only text to mark: Tab leads into it, and the keys of a text field move a cursor through it. */
export function TextRegion({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div
      role="document"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a cursor is moved through it by keys
      tabIndex={0}
      aria-label={label}
      onKeyDown={moveCursor}
      className={className}
    >
      {children}
    </div>
  );
}

const DIRECTIONS: Readonly<Record<string, readonly ["forward" | "backward", string, string]>> = {
  ArrowRight: ["forward", "character", "word"],
  ArrowLeft: ["backward", "character", "word"],
  ArrowDown: ["forward", "line", "paragraph"],
  ArrowUp: ["backward", "line", "paragraph"],
  End: ["forward", "lineboundary", "documentboundary"],
  Home: ["backward", "lineboundary", "documentboundary"],
};

/** Browsers move a cursor by keys only in editable text. This does so in read-only text. */
function moveCursor(event: KeyboardEvent<HTMLElement>): void {
  const region = event.currentTarget;
  const selection = document.getSelection();
  if (!selection || event.altKey || (event.target instanceof Element && event.target.closest("button"))) return;
  const far = event.ctrlKey || event.metaKey;
  if (far && event.key.toLowerCase() === "a") {
    event.preventDefault();
    selectAround(region, selection);
    return;
  }
  const move = DIRECTIONS[event.key];
  if (!move) return;
  event.preventDefault();
  const { focusNode, focusOffset } = selection;
  if (!focusNode || !region.contains(focusNode)) {
    const first = region.querySelector("[data-at]");
    if (first) selection.collapse(first, 0);
  } else {
    const [direction, near, further] = move;
    selection.modify(event.shiftKey ? "extend" : "move", direction, far ? further : near);
    if (!selection.focusNode || !region.contains(selection.focusNode)) {
      // Tab leads out of the text, no arrow does.
      if (event.shiftKey) selection.extend(focusNode, focusOffset);
      else selection.collapse(focusNode, focusOffset);
    }
  }
  elementOf(selection.focusNode)?.scrollIntoView({ block: "nearest" });
}

/** Selects the paragraph at the cursor; all of the text if that is selected already. */
function selectAround(region: HTMLElement, selection: Selection): void {
  const unit = elementOf(selection.focusNode)?.closest<HTMLElement>("[data-address]");
  const before = selection.toString();
  if (unit && region.contains(unit)) {
    selectIn(unit, selection);
    if (selection.toString() !== before) return;
  }
  selectIn(region, selection);
}

function selectIn(element: HTMLElement, selection: Selection): void {
  const leaves = element.querySelectorAll("[data-at]");
  const first = leaves[0];
  const last = leaves[leaves.length - 1];
  if (first && last) selection.setBaseAndExtent(first, 0, last, last.childNodes.length);
}

function elementOf(node: Node | null): Element | null {
  return node instanceof Element ? node : (node?.parentElement ?? null);
}
