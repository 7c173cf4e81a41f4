import { Download, FileDown, ScrollText } from "lucide-react";
import { type FileDraft, type Format, isFile } from "@/api/files";
import { MenuItem } from "@/components/ui/Menu";
import { toastError } from "@/components/ui/toasts";
import { viewOf } from "@/lib/formats";
import { downloadDraft } from "../documents/download";
import { useFindings } from "../workspace/panels/FindingsPanel";
import { DocumentPage } from "../workspace/shell/DocumentPage";
import { usePageState } from "../workspace/shell/page-state";
import type { DocumentKind } from "../workspace/shell/shortcuts";
import { EavesdropperDialog } from "./EavesdropperDialog";
import { FileDecisions } from "./FileDecisions";
import { FileStatus } from "./FileStatus";
import { FileTools } from "./FileTools";
import { FileView } from "./FileView";
import { FormatLine } from "./FormatLine";
import { useFileBanner } from "./file-banner";
import { MarksPanel } from "./MarksPanel";
import { useOpenFile } from "./open-file";
import { PolicyDialog } from "./PolicyDialog";
import { RedactedDialog } from "./RedactedDialog";

/** The page of a file that is marked and sent. `first`: what the gateway had of it at first. */
export function FileDocument({ first }: { first: FileDraft }) {
  const studio = useOpenFile();
  const page = usePageState(first);
  const draft = isFile(page.draft) ? page.draft : first;
  const { reasons } = useFindings(studio.leaks);
  const banner = useFileBanner();
  const isBytes = draft.format === "bytes";

  return (
    <DocumentPage
      page={page}
      kind={kindOf(draft.format)}
      actions={{ mark: () => studio.toggle(), undo: () => studio.undo(), redo: () => studio.redo() }}
      about={<FormatLine draft={draft} />}
      labels={banner}
      scrolls="page"
      tools={<FileTools page={page} />}
      edits={
        !isBytes && (
          <MenuItem icon={<ScrollText />} onClick={() => page.show("policy")}>
            Mark by a policy
          </MenuItem>
        )
      }
      downloads={
        <>
          <MenuItem
            icon={<Download />}
            onClick={() =>
              void downloadDraft(draft).catch((error) => toastError("The document was not downloaded.", error))
            }
          >
            Download the file
          </MenuItem>
          {!isBytes && (
            <MenuItem icon={<FileDown />} onClick={() => page.show("redacted")}>
              Redacted edition
            </MenuItem>
          )}
        </>
      }
      view={
        <div className="min-w-0">
          <FileView draft={draft} />
        </div>
      }
      list={
        <MarksPanel
          draft={draft}
          onJump={(...place) => {
            const isListOpen = page.dialog === "list";
            page.show(null);
            // After the dialog has given the focus back.
            if (isListOpen) requestAnimationFrame(() => studio.jump(...place));
            else studio.jump(...place);
          }}
        />
      }
      status={<FileStatus />}
      decisions={(dialog) => <FileDecisions {...dialog} />}
      onDownload={null}
      reasons={reasons}
      onShowFinding={({ address, start, end }) => requestAnimationFrame(() => studio.jump(address, start, end))}
    >
      <EavesdropperDialog draft={draft} {...page.open("eavesdropper")} />
      <PolicyDialog {...page.open("policy")} />
      <RedactedDialog draft={draft} {...page.open("redacted")} />
    </DocumentPage>
  );
}

function kindOf(format: Format): DocumentKind {
  const view = viewOf(format);
  if (view === "paragraphs" || view === "pages") return "pages";
  return view === "bytes" ? "bytes" : "table";
}
