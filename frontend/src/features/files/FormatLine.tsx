import { plural } from "@lingui/core/macro";
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
    pages !== null && plural(pages, { one: "# page", other: "# pages" }),
    sheets !== null && plural(sheets.length, { one: "# sheet", other: "# sheets" }),
    rows !== null && plural(rows, { one: "# row", other: "# rows" }),
    columns !== null && rows !== null && plural(columns.length, { one: "# column", other: "# columns" }),
  ].filter((text) => text !== false);
}
