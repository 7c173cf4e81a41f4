import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Editor } from "@tiptap/core";
import { Send } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { draftQuery } from "@/api/drafts";
import type { FindingShown } from "@/api/findings";
import { Problem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { LazySendDialog } from "@/features/transfers/LazySendDialog";
import type { Seed } from "@/features/workspace/panels/FindForm";
import { LabelBanner } from "@/features/workspace/panels/LabelBanner";
import { placeOf } from "@/features/workspace/panels/surface";
import { SaveNotice } from "@/features/workspace/saving/SaveNotice";
import type { Save } from "@/features/workspace/saving/saver";
import { useSaveNews } from "@/features/workspace/saving/use-save-news";
import { DeleteDialog } from "@/features/workspace/shell/DeleteDialog";
import { Dock, PhonePanel } from "@/features/workspace/shell/Dock";
import { DocumentName } from "@/features/workspace/shell/DocumentName";
import { HelpDialog } from "@/features/workspace/shell/HelpDialog";
import { LeaveDialog } from "@/features/workspace/shell/LeaveDialog";
import { PhoneDock } from "@/features/workspace/shell/PhoneDock";
import { keyHelp } from "@/features/workspace/shell/shortcuts";
import { PHONE, useMedia, WIDE } from "@/features/workspace/shell/use-media";
import { usePageKeys } from "@/features/workspace/shell/use-page-keys";
import { useSending } from "@/features/workspace/shell/use-sending";
import { cx } from "@/lib/cx";
import type { TextSpan } from "@/marked-text/markup";
import { Decisions } from "../Decisions";
import { goToNextFinding } from "../next-finding";
import { announceMarks } from "./announce-marks";
import { type DocumentDeed, DocumentMenu } from "./DocumentMenu";
import { downloadText } from "./download-text";
import { Eavesdropper } from "./Eavesdropper";
import { EditorToolbar } from "./EditorToolbar";
import type { Range } from "./engine/commands";
import { comparedText } from "./engine/compared-text";
import { textRange } from "./engine/insert";
import { serialise } from "./engine/serialise";
import { FindPanel } from "./FindPanel";
import { LabelsProvider, useLabelling } from "./labels";
import { Paper } from "./Paper";
import { PolicyPanel } from "./PolicyPanel";
import { SpansPanel } from "./SpansPanel";
import { StatusLine } from "./StatusLine";
import { type Seen, seenAt } from "./seen-text";
import { useFindings, useWorkbench } from "./workbench";

/** What stands beside the text instead of what is classified, or over a corner where there is no room. */
type Panel = { is: "find"; seed: Seed } | { is: "policy" };

const PANEL_NAME = { find: "Find and mark", policy: "Mark by a policy" } as const;

const MOST_WORDS = 200;
/** What the bars at the top cover, in px. */
const COVERED = 128;
const COVERED_ON_PHONE = 116;

/** The page of a document that is written, marked and sent. `save`: what the gateway had of it at first. */
export function Desk({ save }: { save: Save<string> }) {
  const workbench = useWorkbench();
  const { editor, leaks, saver, surface } = workbench;
  const navigate = useNavigate();
  const draft = useDraft(save);
  const phone = useMedia(PHONE);
  const wide = useMedia(WIDE);
  const [eavesdropping, setEavesdropping] = useState(false);
  const [seen, setSeen] = useState<Seen | null>(null);
  const [naming, setNaming] = useState(false);
  const [listing, setListing] = useState(false);
  const [panel, setPanel] = useState<Panel | null>(null);
  const [helping, setHelping] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [deciding, setDeciding] = useState(true);
  const list = useRef<HTMLDivElement>(null);
  const sending = useSending();
  // Once it was open it stays, with what was chosen in it: one may go and look at a finding meanwhile.
  const [wasAsked, setWasAsked] = useState(false);
  if (sending.is === "asking" && !wasAsked) setWasAsked(true);
  const { reasons } = useFindings();
  useSaveNews(() => setDeciding(true));
  useEffect(() => announceMarks(editor), [editor]);

  const beside = wide && !eavesdropping;
  const textHidden = eavesdropping && !wide;
  // What is marked in a panel is marked in the text; it is there again with that.
  const shown = textHidden ? null : panel;
  const jump = (range: Range) => {
    setListing(false);
    if (textHidden) setEavesdropping(false);
    const select = () => {
      // At once: TipTap's own way waits for a frame, and the next key would go elsewhere.
      editor.view.focus();
      editor.chain().setTextSelection(range).scrollIntoView().run();
    };
    // Else after the text is there again, and the dialog has given the focus back.
    if (!listing && !textHidden) select();
    else requestAnimationFrame(select);
  };
  const eavesdrop = () => {
    // Where it takes the text's place, the text is not there to be asked any more.
    if (!eavesdropping) setSeen(seenAt(editor, phone ? COVERED_ON_PHONE : COVERED));
    setEavesdropping(!eavesdropping);
  };
  const find = (phrase = selectedWords(editor)) => {
    setListing(false);
    if (textHidden) setEavesdropping(false);
    setPanel((before) => ({ is: "find", seed: { phrase, turn: (before?.is === "find" ? before.seed.turn : 0) + 1 } }));
  };
  const byPolicy = () => {
    setListing(false);
    if (textHidden) setEavesdropping(false);
    setPanel({ is: "policy" });
  };
  const closePanel = () => {
    setPanel(null);
    editor.view.focus();
  };
  const rangeOf = ({ from, to }: TextSpan): Range => {
    const text = comparedText(editor.state.doc, "exact");
    return { from: text.positionFrom(from), to: text.positionTo(to) };
  };
  const showFinding = async (finding: FindingShown) => {
    const place = await placeOf(surface, finding);
    // After the dialog has given the focus back.
    if (place) requestAnimationFrame(() => jump(rangeOf(place)));
  };
  usePageKeys({
    save: () => void saver.flush(),
    help: () => setHelping(true),
    find: () => find(),
    finding: () => {
      const { doc, selection } = editor.state;
      const behind = comparedText(doc, "exact").offsetOf(textRange(doc, selection).to);
      goToNextFinding(leaks, behind, (place) => jump(rangeOf(place)));
    },
  });
  const download = (form: "marked" | "literal") => downloadText(workbench, draft.name, form);
  const deeds: Record<DocumentDeed, () => void> = {
    find: () => find(),
    policy: byPolicy,
    rename: () => setNaming(true),
    marked: () => download("marked"),
    literal: () => download("literal"),
    keys: () => setHelping(true),
    delete: () => setDeleting(true),
  };
  const leave = () => void navigate({ to: "/documents" });

  const inPanel =
    shown?.is === "find" ? (
      <FindPanel seed={shown.seed} onJump={jump} onClose={closePanel} />
    ) : shown?.is === "policy" ? (
      <PolicyPanel onClose={closePanel} />
    ) : null;
  const labels = useLabelling();
  const tools = (
    <EditorToolbar
      small={phone}
      eavesdropping={eavesdropping}
      onEavesdropping={eavesdrop}
      onText={textHidden ? () => setEavesdropping(false) : null}
      onSpans={beside ? null : () => setListing(true)}
      onHelp={() => setHelping(true)}
      finding={shown?.is === "find"}
      onFind={() => (shown?.is === "find" ? closePanel() : find())}
      byPolicy={shown?.is === "policy"}
      onPolicy={() => (shown?.is === "policy" ? closePanel() : byPolicy())}
    />
  );
  const deedsAndSend = (
    <div className="flex items-center gap-1">
      <DocumentMenu onDeed={(deed) => deeds[deed]()} />
      <Button
        tone="primary"
        icon={<Send aria-hidden />}
        busy={sending.is === "saving"}
        onClick={() => void sending.start()}
      >
        Send
      </Button>
    </div>
  );

  return (
    <LabelsProvider value={labels}>
      <div className="-mt-2 sm:-mt-4 flex min-h-[calc(100dvh-5rem)] flex-col max-md:pb-[max(6rem,var(--docked,0px))] md:-mb-16">
        <Link to="/documents" className="tap self-start py-0.5 text-quiet text-sm">
          Documents
        </Link>
        <header
          className={cx(
            "mb-3 flex items-center justify-between gap-4",
            phone && "-mx-4 sticky top-14 z-20 border-line border-b bg-desk/95 px-4 py-1.5 backdrop-blur-sm",
          )}
        >
          <div className="min-w-0 flex-1">
            <DocumentName
              name={draft.name}
              editing={naming}
              onEditing={setNaming}
              onName={(name) => saver.rename(name)}
            />
          </div>
          {phone && deedsAndSend}
        </header>
        {!phone && (
          <div className="-mx-2 sticky top-14 z-20 mb-4 flex items-center justify-between gap-4 border-line border-b bg-desk/95 px-2 py-2 backdrop-blur-sm">
            {tools}
            {deedsAndSend}
          </div>
        )}
        <LabelBanner labels={labels} />
        <SaveNotice onDownload={() => download("marked")} onDecide={() => setDeciding(true)} />
        {sending.is === "unsaved" && (
          <ErrorPanel
            title="It is not sent."
            problem={new Problem(0, "What is sent is what is saved, and the latest changes could not be saved.")}
            onRetry={() => void sending.start()}
            className="mb-4"
          />
        )}
        <div
          className={cx(
            "grid flex-1 gap-6",
            wide && (eavesdropping ? "grid-cols-2" : "grid-cols-[minmax(0,1fr)_18rem]"),
          )}
        >
          <Paper bubble={!phone} hidden={textHidden} className={cx(beside && "mx-auto w-full max-w-[52rem]")} />
          {eavesdropping && (
            <div>
              <Eavesdropper
                beside={wide}
                start={seen}
                className={
                  wide ? "sticky top-32 h-full max-h-[calc(100dvh-11.25rem)]" : "h-[calc(100dvh-19rem)] min-h-80"
                }
              />
            </div>
          )}
          {beside && (
            <aside aria-label={shown ? PANEL_NAME[shown.is] : "What is classified"}>
              <div className="sticky top-32 flex max-h-[calc(100dvh-17.25rem)] flex-col">
                {inPanel ?? (
                  <SpansPanel readOnly={textHidden} onJump={jump} onPlace={(place) => jump(rangeOf(place))} />
                )}
              </div>
            </aside>
          )}
        </div>
        {phone ? (
          <PhoneDock>
            {shown ? (
              <PhonePanel label={PANEL_NAME[shown.is]}>{inPanel}</PhonePanel>
            ) : (
              <>
                <StatusLine small onFindings={() => setListing(true)} className="px-2" />
                {tools}
              </>
            )}
          </PhoneDock>
        ) : (
          <StatusLine
            small={false}
            onFindings={beside && !shown ? null : () => (beside ? setPanel(null) : setListing(true))}
            className="-mx-2 sticky bottom-0 z-10 mt-4 border-line border-t bg-desk/95 px-2 backdrop-blur-sm"
          />
        )}

        <Dialog open={listing} onOpenChange={setListing} title="What is classified" width="sm" initialFocus={list}>
          <div ref={list} tabIndex={-1} className="flex h-[75dvh] flex-col outline-none">
            <SpansPanel readOnly={textHidden} onJump={jump} onPlace={(place) => jump(rangeOf(place))} />
          </div>
        </Dialog>
        {shown && !phone && !beside && <Dock label={PANEL_NAME[shown.is]}>{inPanel}</Dock>}
        <HelpDialog help={keyHelp("short text", labels !== null)} open={helping} onOpenChange={setHelping} />
        <DeleteDialog draft={draft} saver={saver} open={deleting} onOpenChange={setDeleting} onDeleted={leave} />
        <Decisions
          draft={draft}
          text={{ marked: () => serialise(editor.state.doc), labels: () => labels?.asked() ?? null }}
          open={deciding}
          onOpenChange={setDeciding}
          onLeave={leave}
        />
        <LeaveDialog />
        {wasAsked && (
          <LazySendDialog
            drafts={[draft]}
            reasons={reasons}
            onShow={(finding) => void showFinding(finding)}
            open={sending.is === "asking"}
            onOpenChange={sending.onOpenChange}
          />
        )}
      </div>
    </LabelsProvider>
  );
}

/** The selection as something to look for; empty if it is none, or long. */
function selectedWords({ state: { doc, selection } }: Editor): string {
  const { from, to } = textRange(doc, selection);
  const words = doc.textBetween(from, Math.min(to, from + MOST_WORDS + 1), " ", " ");
  return words.length > MOST_WORDS ? "" : words.trim();
}

/** The document's row as it is known now. A revision that we have not made, and a row that is gone, are news. */
function useDraft(save: Save<string>) {
  const { saver, id } = useWorkbench();
  const { data = save.draft, error } = useQuery(draftQuery(id));
  useEffect(() => saver.heard(data.revision), [saver, data.revision]);
  const gone = error instanceof Problem && error.status === 404;
  useEffect(() => {
    if (gone) void saver.heardDeleted();
  }, [saver, gone]);
  return data;
}
