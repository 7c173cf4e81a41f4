import { isPicture, viewOf } from "@/api/formats";
import { Loading } from "@/components/Loading";
import { lazyWithPreload } from "@/components/lazy-with-preload";
import { useViewedFile } from "./viewed-file";

const WordView = lazyWithPreload(async () => (await import("./word/WordView")).WordView, Loading);
const PdfView = lazyWithPreload(async () => (await import("./pdf/PdfView")).PdfView, Loading);
const PictureView = lazyWithPreload(async () => (await import("./picture/PictureView")).PictureView, Loading);
const TableView = lazyWithPreload(async () => (await import("./table/TableView")).TableView, Loading);

/** A file that the gateway can read, in the view for its format; to mark it or only to read it. */
export function ContentView() {
  const { format } = useViewedFile();
  if (isPicture(format)) return <PictureView />;
  switch (viewOf(format)) {
    case "paragraphs":
      return <WordView />;
    case "pages":
      return <PdfView />;
    default:
      return <TableView />;
  }
}
