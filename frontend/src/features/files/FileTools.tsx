import { t } from "@lingui/core/macro";
import { FileDown, ListTree, Lock, LockOpen, Search } from "lucide-react";
import type { PageState } from "../workspace/shell/page-state";
import { KEYS } from "../workspace/shell/shortcuts";
import { ToolButton } from "../workspace/shell/ToolButton";
import { Divider, PolicyTool, Tools, UndoTools, ViewTools } from "../workspace/shell/Tools";
import { useOpenFile } from "./open-file";
import { type Choice, useChoice, useCoverage, useMarks } from "./viewed-file";

/** The tools of a file: for the selection, and for the whole file. */
export function FileTools({ page, onFind, onPolicy }: { page: PageState; onFind: () => void; onPolicy: () => void }) {
  const file = useOpenFile();
  const choice = useChoice();
  const coverage = useCoverage();
  const marks = useMarks();
  const isBytes = file.format === "bytes";
  const withChosen = (action: (choice: Choice) => void) => {
    const now = file.chosen();
    if (now) action(now);
  };
  return (
    <Tools label={t`Marking tools`}>
      {!isBytes && (
        <>
          <ToolButton
            label={t`Mark as classified`}
            tip={choice ? t`Mark ${{ words: choice.words }}` : t`Mark the selection`}
            shortcut={KEYS.mark}
            icon={<Lock aria-hidden />}
            word={t`Mark`}
            tone="secure"
            disabled={!choice || coverage?.all === true || coverage?.above !== null}
            onClick={() => withChosen((now) => file.mark(now.places, now.words))}
            className="border-secure-edge/60 text-secure"
          />
          <ToolButton
            label={t`Unmark`}
            tip={choice ? t`Unmark ${{ words: choice.words }}` : t`Unmark the selection`}
            icon={<LockOpen aria-hidden />}
            {...(!page.small && { word: t`Unmark` })}
            disabled={!choice || coverage?.some !== true}
            onClick={() => withChosen((now) => file.unmark(now.places, now.words))}
          />
          <Divider />
        </>
      )}
      <UndoTools state={marks} onUndo={() => file.undo()} onRedo={() => file.redo()} />
      <Divider />
      {!page.small && !isBytes && (
        <>
          <ToolButton
            label={t`Find`}
            tip={t`Find, and mark or unmark all places`}
            shortcut={KEYS.find}
            icon={<Search aria-hidden />}
            pressed={page.panel?.is === "find"}
            onClick={onFind}
          />
          <PolicyTool pressed={page.panel?.is === "policy"} onPolicy={onPolicy} />
        </>
      )}
      {!page.wide && (
        <ToolButton label={t`Classified content`} icon={<ListTree aria-hidden />} onClick={() => page.show("list")} />
      )}
      <ViewTools small={page.small} onEavesdrop={() => page.show("eavesdropper")} onHelp={() => page.show("help")}>
        {!isBytes && (
          <ToolButton
            label={t`Redacted edition`}
            icon={<FileDown aria-hidden />}
            onClick={() => page.show("redacted")}
          />
        )}
      </ViewTools>
    </Tools>
  );
}
