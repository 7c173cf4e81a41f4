import type { FileDraft } from "@/api/files";
import { Loading } from "@/app/Loading";
import { viewOf } from "@/lib/formats";
import { lazyWithPreload } from "@/lib/lazy-with-preload";
import { BytesView } from "./bytes/BytesView";

const WordView = lazyWithPreload(async () => (await import("./word/WordView")).WordView, Loading);
const PdfView = lazyWithPreload(async () => (await import("./pdf/PdfView")).PdfView, Loading);
const TableView = lazyWithPreload(async () => (await import("./table/TableView")).TableView, Loading);

/** The file in the view for its format. */
export function FileView({ draft }: { draft: FileDraft }) {
  switch (viewOf(draft.format)) {
    case "paragraphs":
      return <WordView />;
    case "pages":
      return <PdfView />;
    case "bytes":
      return <BytesView size={draft.document_bytes} />;
    default:
      return <TableView />;
  }
}
