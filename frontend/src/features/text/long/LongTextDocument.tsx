import { t } from "@lingui/core/macro";
import { UnfoldHorizontal } from "lucide-react";
import { useEffect, useReducer, useRef, useState, useSyncExternalStore } from "react";
import type { FindingShown } from "@/api/findings";
import { announce } from "@/components/announce";
import { MenuItem } from "@/components/ui/Menu";
import { FindingsPanel, useFindings, useUnderlinedFindings } from "@/features/workspace/panels/FindingsPanel";
import { FindPanel } from "@/features/workspace/panels/FindPanel";
import { LabelMenu } from "@/features/workspace/panels/LabelMenu";
import { checkingSaved, LeakCheck } from "@/features/workspace/panels/leak-check";
import { searchSaved } from "@/features/workspace/panels/policy-search";
import { placeOf, selectedPhrase, type TextSurface } from "@/features/workspace/panels/surface";
import type { Save } from "@/features/workspace/saving/saver";
import { useSaver } from "@/features/workspace/saving/saving";
import { DocumentPage } from "@/features/workspace/shell/DocumentPage";
import { usePageState } from "@/features/workspace/shell/page-state";
import { Decisions } from "../Decisions";
import { type TextLabels, useTextLabels } from "../labels";
import { goToNextFinding } from "../next-finding";
import { saveMarked } from "../save-text";
import { SpellCheckItem, useSpellCheck } from "../spell-check";
import { DownloadMarkedItem, FindItems } from "../TextMenuItems";
import { TextPolicy } from "../TextPolicy";
import { EAVESDROPPING, TextTools, type TextToolsProps } from "../TextTools";
import { useMarkdownPreview } from "../use-markdown-preview";
import type { LongTextEditor } from "./engine/editor";
import { LongTextBubble } from "./LongTextBubble";
import { LongTextSpans } from "./LongTextSpans";
import { LongTextStatus } from "./LongTextStatus";
import { longSurface } from "./long-surface";
import { Share } from "./Share";
import { newsOf } from "./span-announcements";

/** The page of a text in the editor for long texts. `save`: what the gateway had of it at first. */
export function LongTextDocument({ editor, save }: { editor: LongTextEditor; save: Save<string> }) {
  const { id } = save.draft;
  const page = usePageState(save.draft);
  const { draft, panel } = page;
  const [eavesdropping, setEavesdropping] = useState(false);
  const saver = useSaver();
  const [surface] = useState(() => longSurface(editor));
  // The editor holds what it shows of the labels: the page only has to be drawn again.
  const [, drawAgain] = useReducer((turn: number) => turn + 1, 0);
  const labels = useTextLabels(id, surface, (all, rank) => {
    editor.showLabels(all, rank);
    drawAgain();
  });
  const [leaks] = useState(() => new LeakCheck(surface, checkingSaved(id, surface, saver, { pauseMs: 2000 })));
  const { reasons } = useFindings(leaks);
  useUnderlinedFindings(surface, leaks);
  useEffect(() => leaks.start(), [leaks]);
  const [spelling, setSpelling] = useSpellCheck();
  useEffect(() => {
    editor.dom.spellcheck = spelling;
  }, [editor, spelling]);

  useEffect(
    () =>
      editor.onTransaction((tr) => {
        const news = newsOf(tr);
        if (news) announce(news);
      }),
    [editor],
  );

  /** After the dialog that a place was chosen in has given the focus back. */
  const jumped = () => {
    page.show(null);
    requestAnimationFrame(() => editor.focus());
  };
  const showFinding = async (finding: FindingShown) => {
    const place = await placeOf(surface, finding);
    if (place) requestAnimationFrame(() => surface.select(place));
  };
  /** Marks are chosen and changed in the text, not in the eavesdropper's view. */
  const toText = () => {
    editor.eavesdrop(false);
    setEavesdropping(false);
  };
  const find = () => {
    if (eavesdropping) toText();
    page.find(selectedPhrase(surface));
  };
  const byPolicy = () => {
    if (eavesdropping) toText();
    page.byPolicy();
  };
  const closePanel = () => {
    page.closePanel();
    editor.focus();
  };
  const eavesdrop = () => {
    if (eavesdropping) return toText();
    page.closePanel();
    editor.eavesdrop(true);
    setEavesdropping(true);
  };
  const download = () => saveMarked(editor.text(), draft.name);
  const preview = useMarkdownPreview(draft, () => editor.text());

  return (
    <DocumentPage
      page={page}
      kind="long text"
      actions={{
        find,
        finding: () => goToNextFinding(leaks, surface.selection().to, surface.select),
      }}
      labels={labels}
      scrolls="view"
      tools={
        <LongTextTools
          editor={editor}
          labels={labels}
          page={page}
          readOnly={eavesdropping}
          listBeside={page.wide}
          panel={panel?.is ?? null}
          onFind={() => (panel?.is === "find" ? closePanel() : find())}
          onPolicy={() => (panel?.is === "policy" ? closePanel() : byPolicy())}
          eavesdropping={eavesdropping}
          onEavesdrop={eavesdrop}
        />
      }
      edits={
        <>
          <FindItems onFind={find} onPolicy={byPolicy} />
          <SpellCheckItem on={spelling} onChange={setSpelling} />
          <FitItem editor={editor} readOnly={eavesdropping} />
          {preview.item}
        </>
      }
      downloads={<DownloadMarkedItem onDownload={download} />}
      view={<Sheet editor={editor} surface={surface} bubble={!page.phone && !eavesdropping} />}
      list={
        <div className="flex h-full min-h-0 flex-col gap-4">
          <Share draft={draft} />
          {eavesdropping && <p className="text-quiet text-sm">{EAVESDROPPING}.</p>}
          <FindingsPanel
            surface={surface}
            leaks={leaks}
            readOnly={eavesdropping}
            onJump={(place) => {
              editor.select(place);
              jumped();
            }}
            hint={t`The gateway checks for leaks when you pause.`}
            className="max-h-[60%]"
          />
          <LongTextSpans editor={editor} labels={labels} readOnly={eavesdropping} onJumped={jumped} />
        </div>
      }
      panel={
        panel?.is === "find" ? (
          <FindPanel surface={surface} seed={panel.seed} onJump={surface.select} onClose={closePanel} />
        ) : panel?.is === "policy" ? (
          <TextPolicy surface={surface} labels={labels} search={searchSaved(id, surface, saver)} onClose={closePanel} />
        ) : null
      }
      status={<LongTextStatus editor={editor} small={page.small} bytes={draft.document_bytes} />}
      decisions={(dialog) => (
        <Decisions
          draft={draft}
          text={{ marked: () => editor.text(), labels: () => labels?.asked() ?? null }}
          {...dialog}
        />
      )}
      onDownload={download}
      reasons={reasons}
      onShowFinding={(finding) => void showFinding(finding)}
    >
      {preview.dialog}
    </DocumentPage>
  );
}

type LongTextToolsProps = Omit<TextToolsProps, "state" | "commands" | "labelMenu" | "fit"> & {
  editor: LongTextEditor;
  labels: TextLabels | null;
};

function LongTextTools({ editor, labels, ...props }: LongTextToolsProps) {
  const status = useSyncExternalStore(editor.subscribe, editor.status);
  return (
    <TextTools
      {...props}
      state={{ ...status, hasSpans: status.spans > 0 }}
      commands={{
        toggle: () => editor.toggle(),
        undo: () => editor.undo(),
        redo: () => editor.redo(),
        step: (direction) => editor.step(direction),
      }}
      labelMenu={
        labels && (
          <LabelMenu
            set={labels.set}
            small={props.page.small}
            none={!status.some}
            off={props.readOnly ? EAVESDROPPING : null}
            isNone={() => editor.spansHere(1).length === 0}
            onChoose={(label) => labels.change({ places: editor.spansHere().map((place) => ({ place, label })) })}
            text={() => editor.dom}
          />
        )
      }
      // Where there is no room for it, it is in the menu.
      fit={props.listBeside ? { fits: status.fits, onFit: () => editor.fit() } : null}
    />
  );
}

function FitItem({ editor, readOnly }: { editor: LongTextEditor; readOnly: boolean }) {
  const { fits } = useSyncExternalStore(editor.subscribe, editor.status);
  return (
    <MenuItem icon={<UnfoldHorizontal />} disabled={!fits || readOnly} onClick={() => editor.fit()}>
      {t`Move edges here`}
    </MenuItem>
  );
}

interface SheetProps {
  editor: LongTextEditor;
  surface: TextSurface;
  /** Whether buttons appear at a selection. */
  bubble: boolean;
}

function Sheet({ editor, surface, bubble }: SheetProps) {
  const root = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => (place.current ? editor.mount(place.current) : undefined), [editor]);
  return (
    <div ref={root} className="relative grid min-h-0">
      <div ref={place} className="min-h-0 overflow-hidden rounded-md bg-paper shadow-sheet" />
      {bubble && <LongTextBubble editor={editor} surface={surface} root={root} />}
    </div>
  );
}
