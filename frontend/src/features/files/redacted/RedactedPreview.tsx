import type { FileSource } from "@/api/file-source";
import type { Outline } from "@/api/files";
import { viewOf } from "@/api/formats";
import { PagesPreview } from "./PagesPreview";
import { SheetsPreview } from "./SheetsPreview";
import { TextPreview } from "./TextPreview";

interface RedactedPreviewProps {
  edition: FileSource;
  outline: Outline;
}

/** A preview of a redacted edition. */
export function RedactedPreview({ edition, outline }: RedactedPreviewProps) {
  switch (viewOf(outline.format)) {
    case "pages":
      return <PagesPreview edition={edition} sizes={outline.page_sizes ?? []} />;
    case "sheets":
      return <SheetsPreview edition={edition} sheets={outline.sheets ?? []} />;
    case "paragraphs":
      return <TextPreview edition={edition} />;
    default:
      // Tables are text and have no preview here.
      return null;
  }
}
