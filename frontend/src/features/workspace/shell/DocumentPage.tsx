import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link, useNavigate } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { FindingShown } from "@/api/findings";
import { Problem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { LazySendDialog } from "@/features/transfers/LazySendDialog";
import { cx } from "@/lib/cx";
import { type BannerLabels, LabelBanner } from "../panels/LabelBanner";
import { SaveNotice } from "../saving/SaveNotice";
import { useSaver } from "../saving/saver-context";
import { useSaveNews } from "../saving/use-save-news";
import { DeleteDialog } from "./DeleteDialog";
import { Dock } from "./Dock";
import { DocumentMenu } from "./DocumentMenu";
import { DocumentName } from "./DocumentName";
import { LeaveDialog } from "./LeaveDialog";
import { PhoneDock, PhonePanel } from "./PhoneDock";
import { PANEL_NAME, type PageState } from "./page-state";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { StatusBar } from "./StatusBar";
import { type DocumentKind, keyHelp } from "./shortcuts";
import { type PageActions, usePageKeys } from "./use-page-keys";
import { useSending } from "./use-sending";

/** What a kind of document puts into the page. */
interface DocumentPageProps {
  page: PageState;
  kind: DocumentKind;
  /** For shortcuts anywhere on the page, besides those to save and for help. */
  actions: PageActions;
  /** Under the name. */
  about?: ReactNode;
  tools: ReactNode;
  /** Items of the menu. */
  edits: ReactNode;
  downloads: ReactNode;
  labels: BannerLabels | null;
  /** Whether the page scrolls, or the view in it does. */
  scrolls: "page" | "view";
  view: ReactNode;
  /** A second view, beside the first where there is room, and in its place where not. */
  secondView?: ReactNode;
  /** The list of what is classified: beside the view where there is room, and in a dialog where not. */
  list: ReactNode;
  /** The panel that is open, in place of the list. */
  panel?: ReactNode;
  /** What holds at the cursor or the selection. */
  status: ReactNode;
  /** Dialogs about a save that somebody has to decide on. */
  decisions: (dialog: { open: boolean; onOpenChange: (open: boolean) => void; onLeave: () => void }) => ReactNode;
  /** Saves the text of the page as a file; null if there is nothing that is not at the gateway. */
  onDownload: (() => void) | null;
  /** Why findings were left as they are. */
  reasons: readonly string[];
  /** Goes to a finding that the dialog for sending shows. */
  onShowFinding: (finding: FindingShown) => void;
  /** Dialogs of this kind of document. */
  children?: ReactNode;
}

/** The page on which a document of any kind is marked and sent. */
export function DocumentPage(props: DocumentPageProps) {
  const { page, kind, about, tools, labels, scrolls, view, secondView, list, panel = null, status } = props;
  const { draft, phone, wide, short } = page;
  const saver = useSaver();
  const navigate = useNavigate();
  const sending = useSending();
  const [naming, setNaming] = useState(false);
  const [deciding, setDeciding] = useState(true);
  const listDialog = useRef<HTMLDivElement>(null);
  // The dialog keeps what was chosen in it while its finding is looked at.
  const [wasAsked, setWasAsked] = useState(false);
  if (sending.is === "asking" && !wasAsked) setWasAsked(true);
  useSaveNews(() => setDeciding(true));
  usePageKeys({ save: () => void saver.flush(), help: () => page.show("help"), ...props.actions });
  const leave = () => void navigate({ to: "/documents" });

  const isView = scrolls === "view";
  const panelName = panel && page.panel ? PANEL_NAME[page.panel.is] : null;
  // In a low window a panel over the document would cover it.
  const beside = (wide || (short && panelName !== null)) && !secondView;
  const menuAndSend = (
    <div className="flex items-center gap-1">
      <DocumentMenu
        id={draft.id}
        edits={props.edits}
        downloads={props.downloads}
        onRename={() => setNaming(true)}
        onHelp={() => page.show("help")}
        onDelete={() => page.show("delete")}
      />
      <Button
        tone="primary"
        icon={<Send aria-hidden />}
        busy={sending.is === "saving"}
        onClick={() => void sending.start()}
      >
        {t`Send`}
      </Button>
    </div>
  );

  const name = (
    <div className="min-w-0 flex-1">
      <DocumentName
        name={draft.name}
        small={short}
        editing={naming}
        onEditing={setNaming}
        onName={(next) => saver.rename(next)}
      />
    </div>
  );

  return (
    <div
      className={cx(
        "-mt-2 sm:-mt-4 short:mt-0 flex flex-col",
        isView
          ? "-mb-16 short:-mb-6 h-[calc(100dvh-5.25rem)] max-md:h-[calc(100dvh-8rem-var(--docked,0px))] short:h-[calc(100dvh-3.25rem)]"
          : "min-h-[calc(100dvh-5rem)] max-md:pb-[max(6rem,var(--docked,0px))] md:-mb-16 short:-mb-6 short:pb-0",
      )}
    >
      {!short && (
        <>
          <Link to="/documents" className="tap self-start py-0.5 text-quiet text-sm">
            {t`Documents`}
          </Link>
          <header
            className={cx(
              "flex items-center justify-between gap-4",
              about ? "mb-1" : "mb-3",
              phone && "-mx-4 sticky top-14 z-20 border-line border-b bg-desk/95 px-4 py-1.5 backdrop-blur-sm",
            )}
          >
            {name}
            {phone && menuAndSend}
          </header>
        </>
      )}
      {about && <div className="mb-3">{about}</div>}
      {draft.reply_to && (
        <p className="wrap-anywhere mb-3 text-quiet text-sm">
          <Trans>
            Reply to {{ name: draft.reply_to.recipient_name }} at {{ peer: draft.reply_to.peer }}, answers{" "}
            <Link to="/inbox/$id" params={{ id: draft.reply_to.entry_id }}>
              {draft.reply_to.document}
            </Link>
          </Trans>
        </p>
      )}
      {draft.forwarded_from && (
        <p className="wrap-anywhere mb-3 text-quiet text-sm">{t`Forwarded from ${{ sender: draft.forwarded_from }}`}</p>
      )}
      {!phone && (
        <div className="-mx-2 sticky top-14 short:top-0 z-20 mb-4 short:mb-2 flex items-center justify-between gap-4 short:gap-1 border-line border-b bg-desk/95 px-2 py-2 short:py-0.5 backdrop-blur-sm">
          {short && name}
          {tools}
          {menuAndSend}
        </div>
      )}
      {/* Unseen it is still there: it asks before a label that a panel changed is lowered. */}
      <div className={isView && phone && panelName ? "hidden" : "contents"}>
        <LabelBanner labels={labels} />
      </div>
      <SaveNotice onDownload={props.onDownload} onDecide={() => setDeciding(true)} />
      {sending.is === "unsaved" && (
        <ErrorPanel
          title={t`Not sent`}
          problem={new Problem(0, t`Only saved changes can be sent, and the latest could not be saved.`)}
          onRetry={() => void sending.start()}
          className="mb-4"
        />
      )}
      <div
        className={cx(
          "grid flex-1 gap-6",
          isView && "min-h-0 pb-2",
          wide && (secondView ? "grid-cols-2" : "grid-cols-[minmax(0,1fr)_18rem]"),
          !wide && beside && "grid-cols-[minmax(0,1fr)_16rem] gap-4",
        )}
      >
        {view}
        {secondView}
        {beside && (
          <aside
            aria-label={panelName ?? t`Classified content`}
            className={isView ? "-mx-2 flex min-h-0 flex-col overflow-y-auto px-2" : ""}
          >
            {isView ? (
              (panel ?? list)
            ) : (
              <div className="sticky top-32 short:top-14 flex max-h-[calc(100dvh-17.25rem)] short:max-h-[calc(100dvh-6rem)] flex-col">
                {panel ?? list}
              </div>
            )}
          </aside>
        )}
      </div>
      {phone ? (
        <PhoneDock>
          {panelName ? (
            <PhonePanel label={panelName}>{panel}</PhonePanel>
          ) : (
            <>
              <StatusBar small className="px-2">
                {status}
              </StatusBar>
              {tools}
            </>
          )}
        </PhoneDock>
      ) : (
        <StatusBar
          small={false}
          className={cx(
            "-mx-2 sticky bottom-0 z-10 border-line border-t bg-desk/95 px-2 backdrop-blur-sm",
            !isView && "mt-4 short:mt-0",
          )}
        >
          {status}
        </StatusBar>
      )}
      {panelName && !phone && !beside && <Dock label={panelName}>{panel}</Dock>}

      <Dialog {...page.open("list")} title={t`Classified content`} width="sm" initialFocus={listDialog}>
        <div ref={listDialog} tabIndex={-1} className="flex h-[75dvh] flex-col outline-none">
          {list}
        </div>
      </Dialog>
      {props.children}
      <ShortcutsDialog help={keyHelp(kind, labels !== null)} {...page.open("help")} />
      <DeleteDialog draft={draft} saver={saver} {...page.open("delete")} onDeleted={leave} />
      {props.decisions({ open: deciding, onOpenChange: setDeciding, onLeave: leave })}
      <LeaveDialog />
      {wasAsked && (
        <LazySendDialog
          drafts={[draft]}
          reasons={props.reasons}
          onShow={props.onShowFinding}
          open={sending.is === "asking"}
          onOpenChange={sending.onOpenChange}
        />
      )}
    </div>
  );
}
