import type { Outline } from "@/api/files";
import type { EditionReader } from "@/api/redacted-edition";
import { viewOf } from "@/lib/formats";
import { PagesPreview } from "./PagesPreview";
import { SheetsPreview } from "./SheetsPreview";
import { TextPreview } from "./TextPreview";

interface RedactedPreviewProps {
  edition: EditionReader;
  outline: Outline;
  hiddenFolded?: boolean;
}

/** What is read in a redacted edition. */
export function RedactedPreview({ edition, outline, hiddenFolded = false }: RedactedPreviewProps) {
  switch (viewOf(outline.format)) {
    case "pages":
      return <PagesPreview edition={edition} sizes={outline.page_sizes ?? []} />;
    case "sheets":
      return <SheetsPreview edition={edition} sheets={outline.sheets ?? []} />;
    case "paragraphs":
      return <TextPreview edition={edition} hiddenFolded={hiddenFolded} />;
    default:
      // Tables are text: their first lines are shown just as they are.
      return null;
  }
}
