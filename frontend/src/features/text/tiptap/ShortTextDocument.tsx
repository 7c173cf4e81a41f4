import { t } from "@lingui/core/macro";
import { useEditorState } from "@tiptap/react";
import { FileText } from "lucide-react";
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { MenuItem } from "@/components/ui/Menu";
import { LabelMenu } from "@/features/workspace/panels/LabelMenu";
import { searchUnsaved } from "@/features/workspace/panels/policy-search";
import type { Save } from "@/features/workspace/saving/saver";
import { usePageState } from "@/features/workspace/shell/page-state";
import { cx } from "@/lib/cx";
import type { TextSpan } from "@/marked-text/markup";
import { type TextLabels, useTextLabels } from "../labels";
import { saveText } from "../save-text";
import { SpellCheckItem, useSpellCheck } from "../spell-check";
import { TextDocument } from "../TextDocument";
import { EAVESDROPPING, TextTools, type TextToolsProps } from "../TextTools";
import { announceMarks } from "./announce-marks";
import { Eavesdropper } from "./Eavesdropper";
import { spansHere, toolsOf } from "./editing";
import { textSpans } from "./engine/bulk";
import { wholeText } from "./engine/place";
import { serialise } from "./engine/serialise";
import { labelSpans, type SpanLabels } from "./engine/span-labels";
import { checkSpelling, useOpenText, useWatchedPart } from "./open-text";
import { SpansPanel } from "./SpansPanel";
import { type Seen, seenAt } from "./seen-text";
import { TextSheet } from "./TextSheet";
import { TextStatus } from "./TextStatus";

/** What the bars at the top cover, in px. */
const COVERED = 128;
const COVERED_ON_PHONE = 116;
const COVERED_IF_SHORT = 52;

/** The page of a text in the editor for short texts. `save`: what the gateway had of it at first. */
export function ShortTextDocument({ save }: { save: Save<string> }) {
  const { id, editor, leaks, surface } = useOpenText();
  const page = usePageState(save.draft);
  const { draft, phone, wide } = page;
  const [eavesdropping, setEavesdropping] = useState(false);
  const [seen, setSeen] = useState<Seen | null>(null);
  useEffect(() => announceMarks(editor), [editor]);
  const [spelling, setSpelling] = useSpellCheck();
  useEffect(() => checkSpelling(editor, spelling), [editor, spelling]);

  const textHidden = eavesdropping && !wide;
  const listBeside = wide && !eavesdropping;
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
    // Where the second view replaces the text, the text is not laid out any more.
    if (!eavesdropping) setSeen(seenAt(editor, page.short ? COVERED_IF_SHORT : phone ? COVERED_ON_PHONE : COVERED));
    setEavesdropping(!eavesdropping);
  };
  const step = (direction: 1 | -1) => {
    if (textHidden) flushSync(() => setEavesdropping(false));
    const chain = editor.chain();
    (direction === 1 ? chain.nextSpan() : chain.previousSpan()).focus(null, { scrollIntoView: false }).run();
  };
  const { labels, bySpan } = useSpanLabels(id);

  return (
    <TextDocument
      page={page}
      kind="short text"
      surface={surface}
      leaks={leaks}
      labels={labels}
      marked={() => serialise(editor.state.doc)}
      search={searchUnsaved(surface)}
      hidden={textHidden}
      toText={toText}
      focus={() => editor.view.focus()}
      jump={jump}
      scrolls="page"
      tools={(tools) => (
        <ShortTextTools
          {...tools}
          labels={labels}
          onStep={step}
          listBeside={listBeside}
          eavesdropping={eavesdropping}
          onEavesdrop={eavesdrop}
        />
      )}
      edits={<SpellCheckItem on={spelling} onChange={setSpelling} />}
      downloads={
        <MenuItem icon={<FileText />} onClick={() => saveText(wholeText(editor.state.doc), draft.name)}>
          {t`Download without marks`}
        </MenuItem>
      }
      view={
        <TextSheet bubble={!phone} hidden={textHidden} className={cx(listBeside && "mx-auto w-full max-w-[52rem]")} />
      }
      secondView={
        eavesdropping && (
          <div>
            <Eavesdropper
              beside={wide}
              start={seen}
              className={
                wide
                  ? "sticky top-32 short:top-14 h-full max-h-[calc(100dvh-11.25rem)] short:max-h-[calc(100dvh-6rem)]"
                  : "h-[calc(100dvh-19rem)] min-h-80 short:h-[calc(100dvh-6rem)] short:min-h-48"
              }
            />
          </div>
        )
      }
      list={<SpansPanel readOnly={textHidden} labels={labels} bySpan={bySpan} onJump={jump} />}
      status={
        <TextStatus
          small={phone}
          onFindings={listBeside ? (page.panel ? page.closePanel : null) : () => page.show("list")}
        />
      }
    />
  );
}

/** The labels; and by span id the label of each span that does not have the default. */
function useSpanLabels(id: string) {
  const { editor, surface, watch } = useOpenText();
  const [bySpan, setBySpan] = useState<SpanLabels>(new Map());
  const labels = useTextLabels(id, surface, (all) => {
    if (editor.isDestroyed) return;
    const known = new Map<number, string>();
    watch.now().spans.forEach(({ id: span }, index) => {
      const label = all[index];
      if (label) known.set(span, label);
    });
    setBySpan(known);
    editor.view.dispatch(labelSpans(editor.state, known));
  });
  return { labels, bySpan };
}

type ShortTextToolsProps = Omit<TextToolsProps, "state" | "commands" | "labelMenu"> & {
  labels: TextLabels | null;
  onStep: (direction: 1 | -1) => void;
};

/** A separate component, so that a key redraws only the tools that change. */
function ShortTextTools({ labels, onStep, ...props }: ShortTextToolsProps) {
  const { editor } = useOpenText();
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
      labelMenu={
        labels && (
          <LabelMenu
            set={labels.set}
            small={props.page.small}
            none={!state.some}
            off={props.readOnly ? EAVESDROPPING : null}
            isNone={() => spansHere(editor.state).length === 0}
            onChoose={(label) => {
              const here = new Set(spansHere(editor.state));
              const places = textSpans(editor.state.doc).filter((span) => here.has(span.id));
              labels.change({ places: places.map((place) => ({ place, label })) });
            }}
            text={() => editor.view.dom}
          />
        )
      }
    />
  );
}
