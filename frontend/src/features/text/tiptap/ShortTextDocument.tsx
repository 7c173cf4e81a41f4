import { useEditorState } from "@tiptap/react";
import { FileText } from "lucide-react";
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import type { FindingShown } from "@/api/findings";
import { MenuItem } from "@/components/ui/Menu";
import { FindPanel } from "@/features/workspace/panels/FindPanel";
import { placeOf, selectedPhrase } from "@/features/workspace/panels/surface";
import type { Save } from "@/features/workspace/saving/saver";
import { DocumentPage } from "@/features/workspace/shell/DocumentPage";
import { usePageState } from "@/features/workspace/shell/page-state";
import { cx } from "@/lib/cx";
import type { TextSpan } from "@/marked-text/markup";
import { Decisions } from "../Decisions";
import { goToNextFinding } from "../next-finding";
import { saveMarked, saveText } from "../save-text";
import { DownloadMarkedItem, FindItems } from "../TextMenuItems";
import { EAVESDROPPING, TextTools, type TextToolsProps } from "../TextTools";
import { announceMarks } from "./announce-marks";
import { Eavesdropper } from "./Eavesdropper";
import { toolsOf } from "./editing";
import { wholeText } from "./engine/place";
import { serialise } from "./engine/serialise";
import { LabelsProvider, useLabelling } from "./labels";
import { Paper } from "./Paper";
import { ShortTextPolicy } from "./ShortTextPolicy";
import { SpansPanel } from "./SpansPanel";
import { type Seen, seenAt } from "./seen-text";
import { TextLabelMenu } from "./TextLabelMenu";
import { TextStatus } from "./TextStatus";
import { useFindings, useWatchedPart, useWorkbench } from "./workbench";

/** What the bars at the top cover, in px. */
const COVERED = 128;
const COVERED_ON_PHONE = 116;

/** The page of a text in the editor for short texts. `save`: what the gateway had of it at first. */
export function ShortTextDocument({ save }: { save: Save<string> }) {
  const { editor, leaks, surface } = useWorkbench();
  const page = usePageState(save.draft);
  const { draft, phone, wide } = page;
  const [eavesdropping, setEavesdropping] = useState(false);
  const [seen, setSeen] = useState<Seen | null>(null);
  const { reasons } = useFindings();
  useEffect(() => announceMarks(editor), [editor]);

  const textHidden = eavesdropping && !wide;
  const listBeside = wide && !eavesdropping;
  // What is marked in a panel is marked in the text: the panel is shown again when the text is.
  const panel = textHidden ? null : page.panel;
  const toText = () => {
    page.show(null);
    if (textHidden) setEavesdropping(false);
  };
  const jump = (place: TextSpan) => {
    const isListOpen = page.dialog === "list";
    toText();
    // Otherwise after the text is shown again, and the dialog has given the focus back.
    if (!isListOpen && !textHidden) surface.select(place);
    else requestAnimationFrame(() => surface.select(place));
  };
  const eavesdrop = () => {
    // Where the second view takes the text's place, the text cannot be asked any more.
    if (!eavesdropping) setSeen(seenAt(editor, phone ? COVERED_ON_PHONE : COVERED));
    setEavesdropping(!eavesdropping);
  };
  const find = () => {
    const phrase = selectedPhrase(surface);
    toText();
    page.find(phrase);
  };
  const byPolicy = () => {
    toText();
    page.byPolicy();
  };
  const closePanel = () => {
    page.closePanel();
    editor.view.focus();
  };
  const step = (direction: 1 | -1) => {
    if (textHidden) flushSync(() => setEavesdropping(false));
    const chain = editor.chain();
    (direction === 1 ? chain.nextSpan() : chain.previousSpan()).focus(null, { scrollIntoView: false }).run();
  };
  const showFinding = async (finding: FindingShown) => {
    const place = await placeOf(surface, finding);
    // After the dialog has given the focus back.
    if (place) requestAnimationFrame(() => jump(place));
  };
  const showNextFinding = () => goToNextFinding(leaks, surface.selection().to, jump);
  const text = () => serialise(editor.state.doc);
  const download = () => saveMarked(text(), draft.name);
  const labels = useLabelling();

  return (
    <LabelsProvider value={labels}>
      <DocumentPage
        page={page}
        kind="short text"
        actions={{ find, finding: showNextFinding }}
        labels={labels}
        scrolls="page"
        tools={
          <ShortTextTools
            page={page}
            readOnly={textHidden}
            onStep={step}
            listBeside={listBeside}
            panel={panel?.is ?? null}
            onFind={() => (panel?.is === "find" ? closePanel() : find())}
            onPolicy={() => (panel?.is === "policy" ? closePanel() : byPolicy())}
            eavesdropping={eavesdropping}
            onEavesdrop={eavesdrop}
          />
        }
        edits={<FindItems onFind={find} onPolicy={byPolicy} />}
        downloads={
          <>
            <DownloadMarkedItem onDownload={download} />
            <MenuItem icon={<FileText />} onClick={() => saveText(wholeText(editor.state.doc), draft.name)}>
              Download without marks
            </MenuItem>
          </>
        }
        view={
          <Paper bubble={!phone} hidden={textHidden} className={cx(listBeside && "mx-auto w-full max-w-[52rem]")} />
        }
        secondView={
          eavesdropping && (
            <div>
              <Eavesdropper
                beside={wide}
                start={seen}
                className={
                  wide ? "sticky top-32 h-full max-h-[calc(100dvh-11.25rem)]" : "h-[calc(100dvh-19rem)] min-h-80"
                }
              />
            </div>
          )
        }
        list={<SpansPanel readOnly={textHidden} onJump={jump} />}
        panel={
          panel?.is === "find" ? (
            <FindPanel surface={surface} seed={panel.seed} onJump={jump} onClose={closePanel} />
          ) : panel?.is === "policy" ? (
            <ShortTextPolicy onClose={closePanel} />
          ) : null
        }
        status={
          <TextStatus
            small={phone}
            onFindings={listBeside ? (panel ? page.closePanel : null) : () => page.show("list")}
          />
        }
        decisions={(dialog) => (
          <Decisions draft={draft} text={{ marked: text, labels: () => labels?.asked() ?? null }} {...dialog} />
        )}
        onDownload={download}
        reasons={reasons}
        onShowFinding={(finding) => void showFinding(finding)}
      />
    </LabelsProvider>
  );
}

type ShortTextToolsProps = Omit<TextToolsProps, "state" | "commands" | "labelMenu"> & {
  onStep: (direction: 1 | -1) => void;
};

/** Apart, so that a key draws the page again only where something of it changes. */
function ShortTextTools({ onStep, ...props }: ShortTextToolsProps) {
  const { editor } = useWorkbench();
  const state = useEditorState({ editor, selector: toolsOf });
  const hasSpans = useWatchedPart(({ spans }) => spans.length > 0);
  return (
    <TextTools
      {...props}
      state={{ ...state, hasSpans }}
      commands={{
        toggle: () => editor.commands.toggleClassified(),
        undo: () => editor.commands.undo(),
        redo: () => editor.commands.redo(),
        step: onStep,
      }}
      labelMenu={<TextLabelMenu small={props.page.phone} off={props.readOnly ? EAVESDROPPING : null} />}
    />
  );
}
