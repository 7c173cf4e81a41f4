import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Download, FileDown, FileText, ScrollText, Search } from "lucide-react";
import { useRef } from "react";
import { downloadDraft } from "@/api/draft-download";
import { type FileDraft, type Format, isFile } from "@/api/files";
import { viewOf } from "@/api/formats";
import { MenuItem } from "@/components/ui/Menu";
import { toastError } from "@/components/ui/toasts";
import { useDraftLabels } from "../workspace/panels/draft-labels";
import { useFindings, useUnderlinedFindings } from "../workspace/panels/FindingsPanel";
import type { BannerChange } from "../workspace/panels/LabelBanner";
import { PolicyPanel } from "../workspace/panels/PolicyPanel";
import { searchFile } from "../workspace/panels/policy-search";
import { DocumentPage } from "../workspace/shell/DocumentPage";
import { usePageState } from "../workspace/shell/page-state";
import type { DocumentKind } from "../workspace/shell/shortcuts";
import { EavesdropperDialog } from "./EavesdropperDialog";
import { FileDecisions } from "./FileDecisions";
import { FileFindPanel } from "./FileFindPanel";
import { FileStatus } from "./FileStatus";
import { FileTools } from "./FileTools";
import { FileView } from "./FileView";
import { FormatLine } from "./FormatLine";
import { MarksPanel } from "./MarksPanel";
import { whereText } from "./model/place-names";
import { useOpenFile } from "./open-file";
import { RedactedDialog } from "./RedactedDialog";
import { TextDialog } from "./TextDialog";

/** The marks of a file contain their labels: only the banner is changed at the gateway. */
const NO_SPANS = { spans: () => ({ count: 0, texts: () => [] }), show: () => {}, chosen: () => null };

/** The page of a file. `first`: the file's row when it was opened. */
export function FileDocument({ first }: { first: FileDraft }) {
  const file = useOpenFile();
  const page = usePageState(first);
  const draft = isFile(page.draft) ? page.draft : first;
  const { reasons } = useFindings(file.leaks);
  useUnderlinedFindings(file.surface, file.leaks);
  const banner = useDraftLabels<BannerChange>(file.id, NO_SPANS);
  const isBytes = draft.format === "bytes";
  const view = useRef<HTMLElement>(null);
  const find = () => {
    const phrase = file.chosenText();
    page.show(null);
    page.find(phrase);
  };
  const closePanel = () => {
    page.closePanel();
    view.current?.focus({ preventScroll: true });
  };

  return (
    <DocumentPage
      page={page}
      kind={kindOf(draft.format)}
      actions={{
        mark: () => file.toggle(),
        undo: () => file.undo(),
        redo: () => file.redo(),
        ...(!isBytes && { find }),
      }}
      about={<FormatLine draft={draft} />}
      labels={banner}
      scrolls="page"
      tools={
        <FileTools
          page={page}
          onFind={() => (page.panel?.is === "find" ? closePanel() : find())}
          onPolicy={() => (page.panel?.is === "policy" ? closePanel() : page.byPolicy())}
        />
      }
      edits={
        !isBytes && (
          <>
            <MenuItem icon={<Search />} onClick={find}>{t`Find and mark`}</MenuItem>
            <MenuItem icon={<ScrollText />} onClick={page.byPolicy}>{t`Mark by a policy`}</MenuItem>
          </>
        )
      }
      downloads={
        <>
          <MenuItem
            icon={<Download />}
            onClick={() =>
              void downloadDraft(draft).catch((error) => toastError(t`The document was not downloaded.`, error))
            }
          >{t`Download the file`}</MenuItem>
          {viewOf(draft.format) === "rows" && (
            <MenuItem icon={<FileText />} onClick={() => page.show("text")}>
              <Trans>Show as text</Trans>
            </MenuItem>
          )}
          {!isBytes && (
            <MenuItem icon={<FileDown />} onClick={() => page.show("redacted")}>{t`Redacted edition`}</MenuItem>
          )}
        </>
      }
      view={
        <section ref={view} aria-label={t`Content`} tabIndex={-1} className="min-w-0 outline-none">
          <FileView draft={draft} />
        </section>
      }
      list={
        <MarksPanel
          draft={draft}
          onJump={(...place) => {
            const isListOpen = page.dialog === "list";
            page.show(null);
            // After the dialog has given the focus back.
            if (isListOpen) requestAnimationFrame(() => file.jump(...place));
            else file.jump(...place);
          }}
        />
      }
      panel={
        page.panel?.is === "find" ? (
          <FileFindPanel seed={page.panel.seed} onClose={closePanel} />
        ) : page.panel?.is === "policy" ? (
          <PolicyPanel
            surface={file.surface}
            search={searchFile(file.id, file.surface)}
            show={({ text, address }) => (
              <span className="flex items-baseline gap-1.5">
                <span className="truncate font-serif">{text || t`(no text)`}</span>{" "}
                <span className="max-w-1/2 shrink-0 truncate text-quiet text-xs">
                  {whereText(file.format, address)}
                </span>
              </span>
            )}
            onMark={(accepted) => file.add(accepted, plural(accepted.length, { one: "# hit", other: "# hits" }))}
            onJump={file.surface.select}
            onClose={closePanel}
          />
        ) : null
      }
      status={<FileStatus />}
      decisions={(dialog) => <FileDecisions {...dialog} />}
      onDownload={null}
      reasons={reasons}
      onShowFinding={({ address, start, end }) => requestAnimationFrame(() => file.jump(address, start, end))}
    >
      <EavesdropperDialog draft={draft} {...page.open("eavesdropper")} />
      <TextDialog draft={draft} {...page.open("text")} />
      <RedactedDialog draft={draft} {...page.open("redacted")} />
    </DocumentPage>
  );
}

function kindOf(format: Format): DocumentKind {
  const view = viewOf(format);
  if (view === "paragraphs" || view === "pages") return "pages";
  return view === "bytes" ? "bytes" : "table";
}
