import { t } from "@lingui/core/macro";
import { useState } from "react";
import type { DocumentShown } from "@/api/types";
import { SegmentedControl } from "@/components/ui/SegmentedControl";
import { EavesdropperView } from "./EavesdropperView";
import { FullView } from "./FullView";
import { RedactedView } from "./RedactedView";
import { StoredDownloads } from "./StoredDownloads";

type View = "full" | "eavesdropper" | "redacted";

const VIEWS = [
  { value: "full", label: t`Document` },
  { value: "eavesdropper", label: t`Eavesdropper` },
  { value: "redacted", label: t`Redacted` },
] as const;

interface StoredDocumentProps {
  document: DocumentShown;
  /** All of it was sent over the secure channel, so an eavesdropper got nothing. */
  securely?: boolean;
}

/** One of the author's documents, read-only: with its marks, as an eavesdropper sees it, and redacted. */
export function StoredDocument({ document, securely = false }: StoredDocumentProps) {
  const [view, setView] = useState<View>("full");
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
        <SegmentedControl label={t`View`} value={view} onValueChange={setView} segments={VIEWS} />
        <StoredDownloads document={document} />
      </div>
      {view === "full" && <FullView document={document} />}
      {view === "eavesdropper" && <EavesdropperView document={document} securely={securely} />}
      {view === "redacted" && <RedactedView document={document} />}
    </div>
  );
}
