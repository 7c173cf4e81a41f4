import type { FileDraft, Outline } from "@/api/files";
import { sizeText } from "@/lib/sizes";
import { useStudio } from "./studio";

/** Of what kind and size the file is, under its name. */
export function FormatLine({ draft }: { draft: FileDraft }) {
  const { outline } = useStudio();
  return (
    <p className="text-quiet text-sm">
      {[kindOf(outline), ...sizesOf(outline), sizeText(draft.document_bytes)].join(" · ")}
    </p>
  );
}

const KINDS = {
  text: "Text",
  docx: "Word document",
  xlsx: "Excel workbook",
  pdf: "PDF",
  csv: "Table (.csv)",
  tsv: "Table (.tsv)",
  jsonl: "Table (.jsonl)",
  bytes: "File of another format",
} as const;

function kindOf({ format }: Outline): string {
  return KINDS[format];
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
