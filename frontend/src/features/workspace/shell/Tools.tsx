import { Toolbar } from "@base-ui/react/toolbar";
import { t } from "@lingui/core/macro";
import { Eye, Keyboard, Redo2, ScrollText, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { useMedia, WIDE } from "@/components/use-media";
import { KEYS } from "./shortcuts";
import { ToolButton } from "./ToolButton";

/** The bar of tools. One tab stop; arrow keys move from tool to tool. */
export function Tools({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Toolbar.Root aria-label={label} className="flex min-w-0 items-center gap-0.5 max-sm:justify-between sm:gap-1">
      {children}
    </Toolbar.Root>
  );
}

export function Divider() {
  return <Toolbar.Separator className="mx-1 short:mx-0 h-6 border-line border-l max-sm:hidden" />;
}

interface UndoToolsProps {
  state: { readonly canUndo: boolean; readonly canRedo: boolean };
  /** Why nothing can be changed now; null if something can. */
  off?: string | null;
  onUndo: () => void;
  onRedo: () => void;
}

export function UndoTools({ state: { canUndo, canRedo }, off = null, onUndo, onRedo }: UndoToolsProps) {
  const tip = off !== null && { tip: off };
  return (
    <>
      <ToolButton
        label={t`Undo`}
        {...tip}
        shortcut={KEYS.undo}
        icon={<Undo2 aria-hidden />}
        disabled={!canUndo || off !== null}
        onClick={onUndo}
      />
      <ToolButton
        label={t`Redo`}
        {...tip}
        shortcut={KEYS.redo}
        icon={<Redo2 aria-hidden />}
        disabled={!canRedo || off !== null}
        onClick={onRedo}
      />
    </>
  );
}

export function PolicyTool({ pressed, onPolicy }: { pressed: boolean; onPolicy: () => void }) {
  return (
    <ToolButton
      label={t`Policies`}
      tip={t`Mark by a policy`}
      icon={<ScrollText aria-hidden />}
      pressed={pressed}
      onClick={onPolicy}
    />
  );
}

interface ViewToolsProps {
  /** On a phone; help is in the menu there. */
  small: boolean;
  /** Whether the eavesdropper's view is shown; undefined if it is a dialog. */
  eavesdropping?: boolean;
  onEavesdrop: () => void;
  onHelp: () => void;
  /** Tools after the eavesdropper's. */
  children?: ReactNode;
}

export function ViewTools({ small, eavesdropping, onEavesdrop, onHelp, children }: ViewToolsProps) {
  const wide = useMedia(WIDE);
  return (
    <>
      <ToolButton
        label={t`What an eavesdropper sees`}
        icon={<Eye aria-hidden />}
        {...(wide && { word: t`What an eavesdropper sees` })}
        tone="open"
        {...(eavesdropping !== undefined && { pressed: eavesdropping })}
        onClick={onEavesdrop}
      />
      {children}
      {!small && (
        <ToolButton
          label={t`Keyboard shortcuts`}
          shortcut={KEYS.help}
          icon={<Keyboard aria-hidden />}
          onClick={onHelp}
        />
      )}
    </>
  );
}
