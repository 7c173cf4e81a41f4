import { Dialog as Base } from "@base-ui/react/dialog";
import { t } from "@lingui/core/macro";
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { cx } from "@/lib/cx";
import { IconButton } from "./IconButton";

export const VEIL =
  "fixed inset-0 z-40 bg-veil transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0";
export const SHEET =
  "fixed inset-x-0 bottom-0 z-40 mx-auto flex max-h-[92dvh] w-full flex-col overflow-hidden rounded-t-lg bg-raised text-ink " +
  "shadow-float transition-[translate,opacity] duration-150 data-ending-style:translate-y-2 data-ending-style:opacity-0 " +
  "data-starting-style:translate-y-2 data-starting-style:opacity-0 outline-none " +
  "sm:inset-auto sm:max-w-[calc(100vw-1rem)] sm:top-1/2 sm:left-1/2 sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg " +
  "sm:data-ending-style:-translate-y-[calc(50%-8px)] sm:data-starting-style:-translate-y-[calc(50%-8px)]";

const WIDTHS = { sm: "sm:w-[26rem]", md: "sm:w-[34rem]", lg: "sm:w-[46rem]" } as const;

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, with the main one last. */
  footer?: ReactNode;
  width?: keyof typeof WIDTHS;
  /** Only its own buttons close it: no cross, no Escape, no click outside. */
  insistent?: boolean;
  /** In a low window, its header and footer scroll with the rest: its fields need the room. */
  scrollsWhole?: boolean;
  /** Hides everything else while it is open, also from screen readers, search and print. The page keeps its state. */
  hidesPage?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  /** The element that gets the focus when the dialog closes. By default, and for `true`, the one that had it before. */
  finalFocus?: () => HTMLElement | true;
  /** For Ctrl+Enter, wherever in the dialog the focus is. */
  onCtrlEnter?: () => void;
}

// Fields come before the close button.
const FIRST =
  "input:not([hidden], [type=hidden], [aria-hidden=true]), textarea, [role=combobox], [role=checkbox]:not([aria-disabled=true])";

/** A sheet over the page, at the bottom on a phone. Its first field gets the focus. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  width = "md",
  insistent = false,
  scrollsWhole = false,
  hidesPage = false,
  initialFocus,
  finalFocus,
  onCtrlEnter,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  useCtrlEnter(popup, open, onCtrlEnter);
  const isHiding = open && hidesPage;
  useLayoutEffect(() => {
    if (!isHiding) return;
    document.documentElement.classList.add("page-hidden");
    return () => document.documentElement.classList.remove("page-hidden");
  }, [isHiding]);
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => (next || !insistent) && onOpenChange(next)}
      disablePointerDismissal={insistent}
    >
      <Base.Portal className={cx(hidesPage && "over-hidden-page")}>
        <Base.Backdrop className={VEIL} />
        <Base.Popup
          ref={popup}
          className={cx(SHEET, WIDTHS[width], scrollsWhole && "short:max-h-[98dvh] short:overflow-y-auto")}
          initialFocus={initialFocus ?? (() => firstFocus(popup.current))}
          {...(finalFocus && { finalFocus })}
        >
          <header className="flex items-start gap-4 px-6 pt-5 short:pt-3 pb-3 short:pb-1">
            <div className="min-w-0 flex-1">
              <Base.Title className="font-serif text-xl leading-snug">{title}</Base.Title>
              {description && (
                <Base.Description render={<div />} className="mt-1 text-quiet text-sm">
                  {description}
                </Base.Description>
              )}
            </div>
            {!insistent && (
              <Base.Close render={<IconButton label={t`Close`} icon={<X />} size="sm" className="-mt-1 -mr-2" />} />
            )}
          </header>
          {/* A form without fields has no space of its own until it shows an error. */}
          {children && (
            <div
              className={cx(
                "min-h-0 flex-1 overflow-y-auto px-6 pt-1 pb-6 has-[>form:empty]:py-1.5",
                scrollsWhole && "short:flex-none short:overflow-visible",
              )}
            >
              {children}
            </div>
          )}
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-line border-t bg-sunken px-6 py-4 short:py-2">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function useCtrlEnter(popup: RefObject<HTMLElement | null>, open: boolean, act: (() => void) | undefined) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!act || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    // The page's body has the focus after the focused element disappeared. A menu of the dialog keeps its own keys.
    if (event.target !== document.body && !popup.current?.contains(event.target as Node)) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  useEffect(() => {
    if (!open) return;
    // Captured, before a field in which Enter chooses something.
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, [open]);
}

/** A field that focused itself keeps the focus; otherwise the first field gets it, or else what Base UI chooses. */
function firstFocus(popup: HTMLElement | null): HTMLElement | boolean {
  if (popup?.contains(document.activeElement)) return false;
  return popup?.querySelector<HTMLElement>(FIRST) ?? true;
}
