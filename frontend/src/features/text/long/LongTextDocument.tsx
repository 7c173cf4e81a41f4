import { t } from "@lingui/core/macro";
import { UnfoldHorizontal } from "lucide-react";
import { useEffect, useReducer, useRef, useState, useSyncExternalStore } from "react";
import { announce } from "@/components/announce";
import { MenuItem } from "@/components/ui/Menu";
import { FindingsPanel } from "@/features/workspace/panels/FindingsPanel";
import { LabelMenu } from "@/features/workspace/panels/LabelMenu";
import { checkingSaved, LeakCheck } from "@/features/workspace/panels/leak-check";
import { searchSaved } from "@/features/workspace/panels/policy-search";
import type { TextSurface } from "@/features/workspace/panels/surface";
import type { Save } from "@/features/workspace/saving/saver";
import { useSaver } from "@/features/workspace/saving/saver-context";
import { usePageState } from "@/features/workspace/shell/page-state";
import { type TextLabels, useTextLabels } from "../labels";
import { SpellCheckItem, useSpellCheck } from "../spell-check";
import { TextDocument } from "../TextDocument";
import { EAVESDROPPING, TextTools, type TextToolsProps } from "../TextTools";
import type { LongTextEditor } from "./engine/editor";
import { LongTextBubble } from "./LongTextBubble";
import { LongTextShare } from "./LongTextShare";
import { LongTextSpans } from "./LongTextSpans";
import { LongTextStatus } from "./LongTextStatus";
import { longSurface } from "./long-surface";
import { newsOf } from "./span-announcements";

/** The page of a text in the editor for long texts. `save`: what the gateway had of it at first. */
export function LongTextDocument({ editor, save }: { editor: LongTextEditor; save: Save<string> }) {
  const { id } = save.draft;
  const page = usePageState(save.draft);
  const { draft } = page;
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
  const eavesdrop = (on: boolean) => {
    if (on) page.closePanel();
    editor.eavesdrop(on);
    setEavesdropping(on);
  };

  return (
    <TextDocument
      page={page}
      kind="long text"
      surface={surface}
      leaks={leaks}
      labels={labels}
      marked={() => editor.text()}
      search={searchSaved(id, surface, saver)}
      hidden={eavesdropping}
      toText={() => eavesdropping && eavesdrop(false)}
      focus={() => editor.focus()}
      jump={surface.select}
      scrolls="view"
      tools={(tools) => (
        <LongTextTools
          {...tools}
          editor={editor}
          labels={labels}
          listBeside={page.wide}
          eavesdropping={eavesdropping}
          onEavesdrop={() => eavesdrop(!eavesdropping)}
        />
      )}
      edits={
        <>
          <SpellCheckItem on={spelling} onChange={setSpelling} />
          <FitItem editor={editor} readOnly={eavesdropping} />
        </>
      }
      view={<Sheet editor={editor} surface={surface} bubble={!page.phone && !eavesdropping} />}
      list={
        <div className="flex h-full min-h-0 flex-col gap-4">
          <LongTextShare draft={draft} />
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
      status={<LongTextStatus editor={editor} small={page.small} bytes={draft.document_bytes} />}
    />
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
