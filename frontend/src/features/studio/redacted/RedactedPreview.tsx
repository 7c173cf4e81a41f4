import type { FileDraft, Outline } from "@/api/files";
import { PagesPreview } from "./PagesPreview";
import { SheetsPreview } from "./SheetsPreview";
import { TextPreview } from "./TextPreview";

/** What is read in the redacted edition, which was made of the save of `draft`'s revision. */
export function RedactedPreview({ draft, outline }: { draft: FileDraft; outline: Outline }) {
  switch (draft.format) {
    case "pdf":
      return <PagesPreview draft={draft} sizes={outline.page_sizes ?? []} />;
    case "xlsx":
      return <SheetsPreview draft={draft} sheets={outline.sheets ?? []} />;
    case "docx":
      return <TextPreview draft={draft} />;
    default:
      // Tables are text: their first lines are shown just as they are.
      return null;
  }
}
