import { t } from "@lingui/core/macro";
import { ChevronDown, ChevronUp, ListTree, Lock, LockOpen, Search, UnfoldHorizontal } from "lucide-react";
import type { ReactNode } from "react";
import type { PageState } from "../workspace/shell/page-state";
import { KEYS } from "../workspace/shell/shortcuts";
import { ToolButton } from "../workspace/shell/ToolButton";
import { Divider, PolicyTool, Tools, UndoTools, ViewTools } from "../workspace/shell/Tools";

/** Why no mark and no label can be changed in the eavesdropper's view. */
export const EAVESDROPPING = t`The eavesdropper’s view is read-only: go back to the text to make changes`;

/** What the tools show of a text. */
export interface TextState {
  /** Whether "Mark" would unmark. */
  readonly marked: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly hasSpans: boolean;
}

interface TextCommands {
  readonly toggle: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Selects the next span, or the previous one. */
  readonly step: (direction: 1 | -1) => void;
}

export interface TextToolsProps {
  page: PageState;
  state: TextState;
  commands: TextCommands;
  /** Whether the text can be changed now. */
  readOnly: boolean;
  labelMenu: ReactNode;
  /** Moves the edges of the span to the selection; null if that is not among the tools. */
  fit?: { readonly fits: boolean; readonly onFit: () => void } | null;
  /** Whether the list of what is classified is beside the text. */
  listBeside: boolean;
  /** The panel that is shown. */
  panel: "find" | "policy" | null;
  onFind: () => void;
  onPolicy: () => void;
  eavesdropping: boolean;
  onEavesdrop: () => void;
}

/** The tools of a text, in either editor. */
export function TextTools(props: TextToolsProps) {
  const { page, state, commands, readOnly, labelMenu, fit = null, listBeside, panel, onFind, onPolicy } = props;
  const { marked } = state;
  const off = readOnly ? EAVESDROPPING : null;
  return (
    <Tools label={t`Text tools`}>
      <ToolButton
        label={marked ? t`Unmark` : t`Mark as classified`}
        tip={
          off ??
          (marked
            ? t`Unmark the selection, or the span at the cursor`
            : t`Mark the selection, or the word at the cursor`)
        }
        shortcut={KEYS.mark}
        icon={marked ? <LockOpen aria-hidden /> : <Lock aria-hidden />}
        word={marked ? t({ context: "word on a narrow button", message: "Unmark" }) : t`Mark`}
        disabled={readOnly}
        onClick={commands.toggle}
        className="min-w-24 max-sm:min-w-13 short:min-w-20 border-secure-edge/60 text-secure"
      />
      {labelMenu}
      {fit && (
        <ToolButton
          label={t`Move edges here`}
          tip={off ?? t`Move the edges of the span to the selection`}
          shortcut={KEYS.fit}
          icon={<UnfoldHorizontal aria-hidden />}
          disabled={!fit.fits || readOnly}
          onClick={fit.onFit}
        />
      )}
      <Divider />
      <UndoTools state={state} off={off} onUndo={commands.undo} onRedo={commands.redo} />
      <Divider />
      <ToolButton
        label={t`Previous span`}
        shortcut={KEYS.previousSpan}
        icon={<ChevronUp aria-hidden />}
        disabled={!state.hasSpans}
        onClick={() => commands.step(-1)}
      />
      <ToolButton
        label={t`Next span`}
        shortcut={KEYS.nextSpan}
        icon={<ChevronDown aria-hidden />}
        disabled={!state.hasSpans}
        onClick={() => commands.step(1)}
      />
      {!page.small && (
        <>
          <ToolButton
            label={t`Find`}
            tip={t`Find, and mark or unmark all places`}
            shortcut={KEYS.find}
            icon={<Search aria-hidden />}
            pressed={panel === "find"}
            onClick={onFind}
          />
          <PolicyTool pressed={panel === "policy"} onPolicy={onPolicy} />
        </>
      )}
      {!listBeside && (
        <ToolButton label={t`Classified spans`} icon={<ListTree aria-hidden />} onClick={() => page.show("list")} />
      )}
      <Divider />
      <ViewTools
        small={page.small}
        eavesdropping={props.eavesdropping}
        onEavesdrop={props.onEavesdrop}
        onHelp={() => page.show("help")}
      />
    </Tools>
  );
}
