import { lazy, Suspense } from "react";
import type { FileDraft } from "@/api/files";
import { Loading } from "@/app/Loading";
import { BytesView } from "./bytes/BytesView";

const WordView = lazy(async () => ({ default: (await import("./word/WordView")).WordView }));
const PdfView = lazy(async () => ({ default: (await import("./pdf/PdfView")).PdfView }));
const TableView = lazy(async () => ({ default: (await import("./table/TableView")).TableView }));

/** The file, as its format is best looked at. */
export function FileView({ draft }: { draft: FileDraft }) {
  return <Suspense fallback={<Loading />}>{viewOf(draft)}</Suspense>;
}

function viewOf(draft: FileDraft) {
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
