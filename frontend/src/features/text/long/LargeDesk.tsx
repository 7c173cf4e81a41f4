import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { draftQuery } from "@/api/drafts";
import type { FindingShown } from "@/api/findings";
import { Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { saveMarked } from "@/features/text/tiptap/download-text";
import { EAVESDROPPING } from "@/features/text/tiptap/editing";
import { LazySendDialog } from "@/features/transfers/LazySendDialog";
import type { Seed } from "@/features/workspace/panels/FindForm";
import { FindingsPanel, useFindings } from "@/features/workspace/panels/FindingsPanel";
import { LabelBanner } from "@/features/workspace/panels/LabelBanner";
import { checkingSaved, LeakCheck } from "@/features/workspace/panels/leak-check";
import { placeOf } from "@/features/workspace/panels/surface";
import { SaveNotice } from "@/features/workspace/saving/SaveNotice";
import type { Save } from "@/features/workspace/saving/saver";
import { useSaver } from "@/features/workspace/saving/saving";
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
import { Decisions } from "../Decisions";
import { goToNextFinding } from "../next-finding";
import type { LargeEditor } from "./engine/editor";
import { LargeFind } from "./LargeFind";
import { LargeMenu } from "./LargeMenu";
import { LargePolicy } from "./LargePolicy";
import { LargeSpans } from "./LargeSpans";
import { LargeStatus } from "./LargeStatus";
import { LargeTools } from "./LargeTools";
import { useLargeLabels } from "./labels";
import { longSurface } from "./long-surface";
import { newsOf } from "./news";
import { Share } from "./Share";

/** What stands beside the text instead of what is classified, or over a corner where there is no room. */
type Panel = { is: "find"; seed: Seed } | { is: "policy" };

const PANEL_NAME = { find: "Find and mark", policy: "Mark by a policy" } as const;

/** The page of a long text. `save`: what the gateway had of it at first. */
export function LargeDesk({ editor, save }: { editor: LargeEditor; save: Save<string> }) {
  const saver = useSaver();
  const navigate = useNavigate();
  const { id } = save.draft;
  const { data: draft = save.draft, error } = useQuery(draftQuery(id));
  const labels = useLargeLabels(id, editor);
  const phone = useMedia(PHONE);
  const wide = useMedia(WIDE);
  const sending = useSending();
  const [naming, setNaming] = useState(false);
  const [panel, setPanel] = useState<Panel | null>(null);
  const [eavesdropping, setEavesdropping] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [helping, setHelping] = useState(false);
  const [deciding, setDeciding] = useState(true);
  const [listing, setListing] = useState(false);
  const [surface] = useState(() => longSurface(editor));
  const [leaks] = useState(() => new LeakCheck(surface, checkingSaved(id, surface, saver, { pauseMs: 2000 })));
  const { reasons } = useFindings(leaks);
  useEffect(() => leaks.start(), [leaks]);
  const list = useRef<HTMLDivElement>(null);
  useSaveNews(() => setDeciding(true));
  useEffect(() => saver.heard(draft.revision), [saver, draft.revision]);
  const gone = error instanceof Problem && error.status === 404;
  useEffect(() => {
    if (gone) void saver.heardDeleted();
  }, [saver, gone]);

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
    setListing(false);
    requestAnimationFrame(() => editor.focus());
  };
  const showFinding = async (finding: FindingShown) => {
    const place = await placeOf(surface, finding);
    if (place) requestAnimationFrame(() => editor.select(place));
  };
  /** Marks are chosen and changed in the text, not in what an eavesdropper sees. */
  const toText = () => {
    editor.eavesdrop(false);
    setEavesdropping(false);
  };
  const find = () => {
    if (eavesdropping) toText();
    const phrase = editor.selectedWords();
    setPanel((before) => ({ is: "find", seed: { phrase, turn: (before?.is === "find" ? before.seed.turn : 0) + 1 } }));
  };
  const byPolicy = () => {
    if (eavesdropping) toText();
    setPanel({ is: "policy" });
  };
  const closePanel = () => {
    setPanel(null);
    editor.showPlaces([], -1);
    editor.focus();
  };
  const eavesdrop = () => {
    if (eavesdropping) return toText();
    setPanel(null);
    editor.eavesdrop(true);
    setEavesdropping(true);
  };
  const download = () => saveMarked(editor.text(), draft.name);
  const leave = () => void navigate({ to: "/documents" });
  usePageKeys({
    save: () => void saver.flush(),
    help: () => setHelping(true),
    find,
    finding: () => goToNextFinding(leaks, editor.state.selection.main.to, (place) => editor.select(place)),
  });
  const classified = (
    <>
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
        hint="The gateway checks for leaks when you pause."
        className="max-h-[38%]"
      />
      <LargeSpans editor={editor} labels={labels} readOnly={eavesdropping} onJumped={jumped} />
    </>
  );
  const inPanel =
    panel?.is === "find" ? (
      <LargeFind editor={editor} seed={panel.seed} onClose={closePanel} />
    ) : panel?.is === "policy" ? (
      <LargePolicy id={id} editor={editor} labels={labels} onClose={closePanel} />
    ) : null;
  const panelName = panel && PANEL_NAME[panel.is];
  // On a phone the panel leaves room for the text alone.
  const cramped = phone && panel !== null;

  return (
    <div className="-mt-2 sm:-mt-4 -mb-16 flex h-[calc(100dvh-5.25rem)] flex-col max-md:h-[calc(100dvh-8rem-var(--docked,0px))]">
      <Link to="/documents" className="tap self-start text-quiet text-sm">
        Documents
      </Link>
      <header className="mb-2 flex items-center justify-between gap-4">
        <div className="min-w-0 flex-1">
          <DocumentName
            name={draft.name}
            editing={naming}
            onEditing={setNaming}
            onName={(name) => saver.rename(name)}
          />
        </div>
        <div className="flex items-center gap-1">
          <LargeMenu
            editor={editor}
            readOnly={eavesdropping}
            onFind={find}
            onPolicy={byPolicy}
            onRename={() => setNaming(true)}
            onDownload={download}
            onDelete={() => setDeleting(true)}
          />
          <Button
            tone="primary"
            icon={<Send aria-hidden />}
            busy={sending.is === "saving"}
            onClick={() => void sending.start()}
          >
            Send
          </Button>
        </div>
      </header>
      {!cramped && (
        <LargeTools
          editor={editor}
          labels={labels}
          small={phone}
          finding={panel?.is === "find"}
          onFind={() => (panel?.is === "find" ? closePanel() : find())}
          byPolicy={panel?.is === "policy"}
          onPolicy={() => (panel?.is === "policy" ? closePanel() : byPolicy())}
          onSpans={wide ? null : () => setListing(true)}
          eavesdropping={eavesdropping}
          onEavesdropping={eavesdrop}
        />
      )}
      {labels && (
        // Unseen it is still there: it asks before a label that a panel changed is lowered.
        <div className={cramped ? "hidden" : "mt-2 [&>section]:mb-0"}>
          <LabelBanner labels={labels} />
        </div>
      )}
      <SaveNotice onDownload={download} onDecide={() => setDeciding(true)} />
      {sending.is === "unsaved" && (
        <ErrorPanel
          title="It is not sent."
          problem={new Problem(0, "What is sent is what is saved, and the latest changes could not be saved.")}
          onRetry={() => void sending.start()}
          className="mb-4"
        />
      )}
      <div className={cx("grid min-h-0 flex-1 gap-6 py-2", wide && "grid-cols-[minmax(0,1fr)_18rem]")}>
        <Sheet editor={editor} />
        {wide && (
          <aside
            aria-label={panelName ?? "What is classified"}
            className="-mx-2 flex min-h-0 flex-col gap-4 overflow-y-auto px-2"
          >
            {inPanel ?? classified}
          </aside>
        )}
      </div>
      {!cramped && <LargeStatus editor={editor} small={phone} bytes={draft.document_bytes} />}
      <Dialog open={listing} onOpenChange={setListing} title="What is classified" width="sm" initialFocus={list}>
        <div ref={list} tabIndex={-1} className="flex h-[75dvh] flex-col gap-4 outline-none">
          {classified}
        </div>
      </Dialog>
      {!wide && panelName && !phone && <Dock label={panelName}>{inPanel}</Dock>}
      {panelName && phone && (
        <PhoneDock>
          <PhonePanel label={panelName}>{inPanel}</PhonePanel>
        </PhoneDock>
      )}
      <HelpDialog help={keyHelp("long text", labels !== null)} open={helping} onOpenChange={setHelping} />
      <DeleteDialog draft={draft} saver={saver} open={deleting} onOpenChange={setDeleting} onDeleted={leave} />
      <Decisions
        draft={draft}
        text={{ marked: () => editor.text(), labels: () => labels?.asked() ?? null }}
        open={deciding}
        onOpenChange={setDeciding}
        onLeave={leave}
      />
      <LeaveDialog />
      {sending.is !== "idle" && (
        <LazySendDialog
          drafts={[draft]}
          reasons={reasons}
          onShow={(finding) => void showFinding(finding)}
          open={sending.is === "asking"}
          onOpenChange={sending.onOpenChange}
        />
      )}
    </div>
  );
}

function Sheet({ editor }: { editor: LargeEditor }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => (place.current ? editor.mount(place.current) : undefined), [editor]);
  return <div ref={place} className="min-h-0 overflow-hidden rounded-md bg-paper shadow-sheet" />;
}
