import type { FileDraft } from "@/api/files";
import { Loading } from "@/app/Loading";
import { early } from "@/lib/lazy-with-preload";
import { BytesView } from "./bytes/BytesView";

const WordView = early(async () => (await import("./word/WordView")).WordView, Loading);
const PdfView = early(async () => (await import("./pdf/PdfView")).PdfView, Loading);
const TableView = early(async () => (await import("./table/TableView")).TableView, Loading);

/** The file, as its format is best looked at. */
export function FileView({ draft }: { draft: FileDraft }) {
  switch (draft.format) {
    case "docx":
      return <WordView />;
    case "pdf":
      return <PdfView />;
    case "bytes":
      return <BytesView size={draft.document_bytes} />;
    default:
      return <TableView />;
  }
}
