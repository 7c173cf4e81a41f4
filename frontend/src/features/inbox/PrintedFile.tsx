import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useEffectEvent } from "react";
import { rowsQuery } from "@/api/file-source";
import type { Row } from "@/api/files";
import { cellMark, type Table } from "@/features/files/model/table";
import { useMarks, useViewedFile, type ViewedFile } from "@/features/files/viewed-file";
import { viewOf } from "@/lib/formats";
import { numberText } from "@/lib/numbers";

const MOST_ROWS = 2000;
const MOST_PAGES = 200;
const PAGE_PX = 1200;

interface TableToPrint {
  readonly table: Table;
  readonly rows: readonly Row[];
}

/** What is printed in place of a view that draws only what is in view. `pages`: of a PDF. */
export interface ToPrint {
  readonly tables: readonly TableToPrint[];
  readonly pages: number;
}

/** Loads what is printed of a file. Of a Word file that is the view itself. */
export async function loadToPrint(client: QueryClient, file: ViewedFile): Promise<ToPrint> {
  const { outline, source } = file;
  if (viewOf(outline.format) === "pages") return { tables: [], pages: Math.min(outline.pages ?? 0, MOST_PAGES) };
  if (viewOf(outline.format) === "paragraphs") {
    await file.units.settled();
    return { tables: [], pages: 0 };
  }
  const tables: TableToPrint[] = [];
  let left = MOST_ROWS;
  for (const table of tablesOf(file)) {
    const count = Math.min(table.rows, left);
    const rows = count > 0 ? await client.fetchQuery(rowsQuery(source, table.sheet, 1, count)) : [];
    tables.push({ table, rows });
    left -= rows.length;
  }
  return { tables, pages: 0 };
}

function tablesOf({ outline }: ViewedFile): Table[] {
  const { format, sheets, columns, rows } = outline;
  if (sheets === null) return [{ format, sheet: null, columns: columns ?? [], rows: rows ?? 0 }];
  return sheets
    .filter(({ hidden }) => !hidden)
    .map((sheet) => ({ format, sheet: sheet.name, columns: sheet.columns, rows: sheet.rows }));
}

/** Tables and pages on paper. */
export function PrintedFile({ toPrint, root }: { toPrint: ToPrint; root: RefObject<HTMLDivElement | null> }) {
  const { outline, source } = useViewedFile();
  const { index } = useMarks();
  const pages = Array.from({ length: toPrint.pages }, (_, at) => at + 1);
  const missing = (outline.pages ?? 0) - toPrint.pages;
  return (
    <div ref={root} className="hidden print:block">
      {toPrint.tables.map(({ table, rows }) => (
        <PrintedTable key={table.sheet ?? ""} table={table} rows={rows} />
      ))}
      {pages.map((page) => (
        <figure key={page} className="mb-4 break-inside-avoid">
          <figcaption className="text-xs">
            {index.count(`page/${page}`) > 0 ? t`Page ${page}, classified` : t`Page ${page}`}
          </figcaption>
          <img src={source.pictureUrl(page, PAGE_PX)} alt="" className="max-h-[240mm] w-full object-contain" />
        </figure>
      ))}
      {pages.length > 0 && missing > 0 && (
        <p>{t`Only the first ${MOST_PAGES} pages are printed. Download the file to print the rest.`}</p>
      )}
    </div>
  );
}

function PrintedTable({ table, rows }: TableToPrint) {
  const { index } = useMarks();
  return (
    <section className="mb-6">
      {table.sheet !== null && <h2 className="mb-2 font-serif text-lg">{table.sheet}</h2>}
      <table className="printed-table">
        <thead>
          <tr>
            <th scope="col">{t`Row`}</th>
            {table.columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its number
            <tr key={at}>
              <th scope="row">{at + 1}</th>
              {table.columns.map((name, column) => {
                const text = row[column] ?? "";
                const isClassified = text !== "" && cellMark(index, table, at + 1, name) !== null;
                return (
                  <td key={name} className="document">
                    {isClassified ? <mark className="classified">{text}</mark> : text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length < table.rows && (
        <p>{t`Only ${numberText(rows.length)} of ${numberText(table.rows)} rows are printed. Download the file to print the rest.`}</p>
      )}
    </section>
  );
}

/** Calls `print` when the reader presses Ctrl+P. */
export function usePrintKey(print: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "p") return;
    event.preventDefault();
    print();
  });
  useEffect(() => {
    const heard = (event: KeyboardEvent) => press(event);
    document.addEventListener("keydown", heard);
    return () => document.removeEventListener("keydown", heard);
  }, []);
}
