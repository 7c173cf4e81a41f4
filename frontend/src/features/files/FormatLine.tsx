import { FORMATS } from "@/api/catalogue";
import type { FileDraft, Outline } from "@/api/files";
import { sizeText } from "@/lib/sizes";
import { useOpenFile } from "./open-file";

/** The file's format and size, under its name. */
export function FormatLine({ draft }: { draft: FileDraft }) {
  const { outline } = useOpenFile();
  return (
    <p className="text-quiet text-sm">
      {[FORMATS[outline.format].label, ...sizesOf(outline), sizeText(draft.document_bytes)].join(" · ")}
    </p>
  );
}

function sizesOf({ pages, rows, columns, sheets }: Outline): string[] {
  return [
    pages !== null && counted(pages, "page"),
    sheets !== null && counted(sheets.length, "sheet"),
    rows !== null && counted(rows, "row"),
    columns !== null && rows !== null && counted(columns.length, "column"),
  ].filter((text) => text !== false);
}

function counted(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
