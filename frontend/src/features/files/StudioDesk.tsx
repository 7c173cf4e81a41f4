import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { draftQuery } from "@/api/drafts";
import { type FileDraft, type Format, isFile } from "@/api/files";
import { Problem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { LazySendDialog } from "@/features/transfers/LazySendDialog";
import { cx } from "@/lib/cx";
import { viewOf } from "@/lib/formats";
import { useFindings } from "../workspace/panels/FindingsPanel";
import { LabelBanner } from "../workspace/panels/LabelBanner";
import { SaveNotice } from "../workspace/saving/SaveNotice";
import { useSaveNews } from "../workspace/saving/use-save-news";
import { DeleteDialog } from "../workspace/shell/DeleteDialog";
import { DocumentName } from "../workspace/shell/DocumentName";
import { HelpDialog } from "../workspace/shell/HelpDialog";
import { LeaveDialog } from "../workspace/shell/LeaveDialog";
import { PhoneDock } from "../workspace/shell/PhoneDock";
import { type DocumentKind, keyHelp } from "../workspace/shell/shortcuts";
import { PHONE, useMedia, WIDE } from "../workspace/shell/use-media";
import { usePageKeys } from "../workspace/shell/use-page-keys";
import { useSending } from "../workspace/shell/use-sending";
import { EavesdropperDialog } from "./EavesdropperDialog";
import { type FileDeed, FileMenu } from "./FileMenu";
import { FileView } from "./FileView";
import { FormatLine } from "./FormatLine";
import { useFileBanner } from "./file-banner";
import { MarksPanel } from "./MarksPanel";
import { PolicyDialog } from "./PolicyDialog";
import { RedactedDialog } from "./RedactedDialog";
import { StudioDecisions } from "./StudioDecisions";
import { StudioStatus } from "./StudioStatus";
import { StudioToolbar } from "./StudioToolbar";
import { useStudio } from "./studio";

type Shown = "list" | "policy" | "eavesdropper" | "redacted" | "help" | "delete" | null;

/** The page of a file that is marked and sent. `first`: what the gateway had of it at first. */
export function StudioDesk({ first }: { first: FileDraft }) {
  const studio = useStudio();
  const navigate = useNavigate();
  const draft = useDraft(first);
  const phone = useMedia(PHONE);
  const wide = useMedia(WIDE);
  const [shown, show] = useState<Shown>(null);
  const [naming, setNaming] = useState(false);
  const [deciding, setDeciding] = useState(true);
  const sending = useSending();
  const { reasons } = useFindings(studio.leaks);
  const banner = useFileBanner();
  const list = useRef<HTMLDivElement>(null);
  const open = (what: Exclude<Shown, null>) => ({
    open: shown === what,
    onOpenChange: (next: boolean) => show(next ? what : null),
  });
  useSaveNews(() => setDeciding(true));
  usePageKeys({
    mark: () => studio.toggle(),
    undo: () => studio.undo(),
    redo: () => studio.redo(),
    save: () => void studio.saver.flush(),
    help: () => show("help"),
  });
  const leave = () => void navigate({ to: "/documents" });
  const deeds: Record<FileDeed, () => void> = {
    rename: () => setNaming(true),
    policy: () => show("policy"),
    redacted: () => show("redacted"),
    keys: () => show("help"),
    delete: () => show("delete"),
  };

  const tools = (
    <StudioToolbar
      small={phone}
      onMarks={wide ? null : () => show("list")}
      onEavesdropper={() => show("eavesdropper")}
      onPolicy={() => show("policy")}
      onRedacted={() => show("redacted")}
      onHelp={() => show("help")}
    />
  );
  const deedsAndSend = (
    <div className="flex items-center gap-1">
      <FileMenu draft={draft} onDeed={(deed) => deeds[deed]()} />
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
    <div className="-mt-2 sm:-mt-4 flex min-h-[calc(100dvh-5rem)] flex-col max-md:pb-24 md:-mb-16">
      <header className="mb-3 flex items-end justify-between gap-4">
        <div className="min-w-0 flex-1">
          <Link to="/documents" className="tap text-quiet text-sm">
            Documents
          </Link>
          <DocumentName
            name={draft.name}
            editing={naming}
            onEditing={setNaming}
            onName={(name) => studio.saver.rename(name)}
          />
          <FormatLine draft={draft} />
        </div>
        {phone && deedsAndSend}
      </header>
      {!phone && (
        <div className="-mx-2 sticky top-14 z-20 mb-4 flex items-center justify-between gap-4 border-line border-b bg-desk/95 px-2 py-2 backdrop-blur-sm">
          {tools}
          {deedsAndSend}
        </div>
      )}
      <LabelBanner labels={banner} />
      <SaveNotice onDownload={null} onDecide={() => setDeciding(true)} />
      {sending.is === "unsaved" && (
        <ErrorPanel
          title="It is not sent."
          problem={new Problem(0, "What is sent is what is saved, and the latest marks could not be saved.")}
          onRetry={() => void sending.start()}
          className="mb-4"
        />
      )}
      <div className={cx("grid flex-1 gap-6", wide && "grid-cols-[minmax(0,1fr)_18rem]")}>
        <div className="min-w-0">
          <FileView draft={draft} />
        </div>
        {wide && (
          <aside aria-label="What is classified">
            <div className="sticky top-32 flex max-h-[calc(100dvh-11.25rem)] flex-col">
              <MarksPanel draft={draft} onJump={(...place) => studio.jump(...place)} />
            </div>
          </aside>
        )}
      </div>
      {phone ? (
        <PhoneDock>
          <StudioStatus small className="px-2" />
          {tools}
        </PhoneDock>
      ) : (
        <StudioStatus
          small={false}
          className="-mx-2 sticky bottom-0 z-10 mt-4 border-line border-t bg-desk/95 px-2 backdrop-blur-sm"
        />
      )}

      <Dialog {...open("list")} title="What is classified" width="sm" initialFocus={list}>
        <div ref={list} tabIndex={-1} className="flex h-[75dvh] flex-col outline-none">
          <MarksPanel
            draft={draft}
            onJump={(...place) => {
              show(null);
              // After the dialog has given the focus back.
              requestAnimationFrame(() => studio.jump(...place));
            }}
          />
        </div>
      </Dialog>
      <EavesdropperDialog draft={draft} {...open("eavesdropper")} />
      <PolicyDialog {...open("policy")} />
      <RedactedDialog draft={draft} {...open("redacted")} />
      <HelpDialog help={keyHelp(kindOf(studio.format), false)} {...open("help")} />
      <DeleteDialog draft={draft} saver={studio.saver} {...open("delete")} onDeleted={leave} />
      <StudioDecisions open={deciding} onOpenChange={setDeciding} onLeave={leave} />
      <LeaveDialog />
      {sending.is !== "idle" && (
        <LazySendDialog
          drafts={[draft]}
          reasons={reasons}
          onShow={({ address, start, end }) => requestAnimationFrame(() => studio.jump(address, start, end))}
          open={sending.is === "asking"}
          onOpenChange={sending.onOpenChange}
        />
      )}
    </div>
  );
}

/** The document's row as it is known now. A revision that we have not made, and a row that is gone, are news. */
function useDraft(first: FileDraft): FileDraft {
  const { saver, id } = useStudio();
  const { data, error } = useQuery(draftQuery(id));
  const draft = data && isFile(data) ? data : first;
  useEffect(() => saver.heard(draft.revision), [saver, draft.revision]);
  const gone = error instanceof Problem && error.status === 404;
  useEffect(() => {
    if (gone) void saver.heardDeleted();
  }, [saver, gone]);
  return draft;
}

function kindOf(format: Format): DocumentKind {
  const view = viewOf(format);
  if (view === "paragraphs" || view === "pages") return "pages";
  return view === "bytes" ? "bytes" : "table";
}
