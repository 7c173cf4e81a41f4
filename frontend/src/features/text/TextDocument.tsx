import type { ReactNode } from "react";
import type { FindingShown } from "@/api/findings";
import type { TextSpan } from "@/marked-text/markup";
import { useFindings, useUnderlinedFindings } from "../workspace/panels/FindingsPanel";
import { FindPanel } from "../workspace/panels/FindPanel";
import type { LeakCheck } from "../workspace/panels/leak-check";
import type { PolicySearch } from "../workspace/panels/policy-search";
import { placeOf, selectedPhrase, type TextSurface } from "../workspace/panels/surface";
import { DocumentPage } from "../workspace/shell/DocumentPage";
import type { PageState } from "../workspace/shell/page-state";
import type { TextLabels } from "./labels";
import { goToNextFinding } from "./next-finding";
import { SaveDecisions } from "./SaveDecisions";
import { saveMarked } from "./save-text";
import { DownloadMarkedItem, FindItems } from "./TextMenuItems";
import { TextPolicy } from "./TextPolicy";
import type { TextToolsProps } from "./TextTools";
import { useMarkdownPreview } from "./use-markdown-preview";

/** What the tools of either editor need of the page. */
export type PageTools = Pick<TextToolsProps, "page" | "readOnly" | "panel" | "onFind" | "onPolicy">;

interface TextDocumentProps {
  kind: "short text" | "long text";
  page: PageState;
  surface: TextSurface;
  leaks: LeakCheck<TextSpan>;
  labels: TextLabels | null;
  /** The text with its marks, as it is now. */
  marked: () => string;
  search: PolicySearch<TextSpan>;
  /** The eavesdropper's view hides the text: it cannot be changed. */
  hidden: boolean;
  /** Shows the text again. */
  toText: () => void;
  focus: () => void;
  jump: (place: TextSpan) => void;
  tools: (page: PageTools) => ReactNode;
  /** More items of the menu. */
  edits: ReactNode;
  downloads?: ReactNode;
  scrolls: "page" | "view";
  view: ReactNode;
  secondView?: ReactNode;
  list: ReactNode;
  status: ReactNode;
}

/** The page of a text, in either editor. */
export function TextDocument(props: TextDocumentProps) {
  const { kind, page, surface, leaks, labels, marked, hidden, toText, jump } = props;
  const { draft } = page;
  // A panel marks in the text: it is hidden while the text is.
  const panel = hidden ? null : page.panel;
  const { reasons } = useFindings(leaks);
  useUnderlinedFindings(surface, leaks);
  const preview = useMarkdownPreview(draft, marked);

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
    props.focus();
  };
  const showFinding = async (finding: FindingShown) => {
    const place = await placeOf(surface, finding);
    // After the dialog has given the focus back.
    if (place) requestAnimationFrame(() => jump(place));
  };
  const download = () => saveMarked(marked(), draft.name);

  return (
    <DocumentPage
      page={page}
      kind={kind}
      actions={{ find, finding: () => goToNextFinding(leaks, surface.selection().to, jump) }}
      labels={labels}
      scrolls={props.scrolls}
      tools={props.tools({
        page,
        readOnly: hidden,
        panel: panel?.is ?? null,
        onFind: () => (panel?.is === "find" ? closePanel() : find()),
        onPolicy: () => (panel?.is === "policy" ? closePanel() : byPolicy()),
      })}
      edits={
        <>
          <FindItems onFind={find} onPolicy={byPolicy} />
          {props.edits}
          {preview.item}
        </>
      }
      downloads={
        <>
          <DownloadMarkedItem onDownload={download} />
          {props.downloads}
        </>
      }
      view={props.view}
      secondView={props.secondView}
      list={props.list}
      panel={
        panel?.is === "find" ? (
          <FindPanel surface={surface} seed={panel.seed} onJump={jump} onClose={closePanel} />
        ) : panel?.is === "policy" ? (
          <TextPolicy surface={surface} labels={labels} search={props.search} onClose={closePanel} />
        ) : null
      }
      status={props.status}
      decisions={(dialog) => (
        <SaveDecisions draft={draft} text={{ marked, labels: () => labels?.asked() ?? null }} {...dialog} />
      )}
      onDownload={download}
      reasons={reasons}
      onShowFinding={(finding) => void showFinding(finding)}
    >
      {preview.dialog}
    </DocumentPage>
  );
}
