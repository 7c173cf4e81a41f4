import { t } from "@lingui/core/macro";
import type { QueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useEffectEvent } from "react";
import { pageWordsQuery, rowsQuery } from "@/api/file-source";
import type { PageWords, Row } from "@/api/files";
import { viewOf } from "@/api/formats";
import { AreaLayer } from "@/features/files/areas/AreaLayer";
import { laidWords } from "@/features/files/model/page-layer";
import { cellLabels, cellMark, type Table } from "@/features/files/model/table";
import { WordLayer } from "@/features/files/pdf/WordLayer";
import { useMarks, useViewedFile, type ViewedFile } from "@/features/files/viewed-file";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";

const MOST_ROWS = 2000;
const MOST_PAGES = 200;
const PAGE_PX = 1200;
/** Of a page and its heading, on the smallest common paper. */
const HIGHEST_MM = 230;

interface TableToPrint {
  readonly table: Table;
  readonly rows: readonly Row[];
}

interface PageToPrint {
  /** From 1. */
  readonly page: number;
  /** The words of a page with marks, to show which; null if it has none, or its words could not be loaded. */
  readonly words: PageWords | null;
}

/** What is printed in place of a view that draws only what is in view. `pages`: of a PDF. */
export interface ToPrint {
  readonly tables: readonly TableToPrint[];
  readonly pages: readonly PageToPrint[];
}

/** Loads what is printed of a file. Of a Word file that is the view itself. */
export async function loadToPrint(client: QueryClient, file: ViewedFile): Promise<ToPrint> {
  const { outline, source } = file;
  if (viewOf(outline.format) === "pages") return { tables: [], pages: await pagesToPrint(client, file) };
  if (viewOf(outline.format) === "paragraphs") {
    await file.units.settled();
    return { tables: [], pages: [] };
  }
  const tables: TableToPrint[] = [];
  let left = MOST_ROWS;
  for (const table of tablesOf(file)) {
    const count = Math.min(table.rows, left);
    const rows = count > 0 ? await client.fetchQuery(rowsQuery(source, table.sheet, 1, count)) : [];
    tables.push({ table, rows });
    left -= rows.length;
  }
  return { tables, pages: [] };
}

async function pagesToPrint(client: QueryClient, { outline, source, history }: ViewedFile): Promise<PageToPrint[]> {
  const { index } = history.snapshot();
  const pages: PageToPrint[] = [];
  for (let page = 1; page <= Math.min(outline.pages ?? 0, MOST_PAGES); page++) {
    const isMarked = index.ranges(`page/${page}`).length > 0;
    // The page's heading says that it is classified, also without its words.
    pages.push({
      page,
      words: isMarked ? await client.fetchQuery(pageWordsQuery(source, page)).catch(() => null) : null,
    });
  }
  return pages;
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
  const { outline } = useViewedFile();
  const { pages } = toPrint;
  const missing = (outline.pages ?? 0) - pages.length;
  return (
    <div ref={root} className="hidden print:block">
      {toPrint.tables.map(({ table, rows }) => (
        <PrintedTable key={table.sheet ?? ""} table={table} rows={rows} />
      ))}
      {pages.map(({ page, words }) => (
        <PrintedPage key={page} page={page} words={words} />
      ))}
      {pages.length > 0 && missing > 0 && (
        <p>{t`Only the first ${MOST_PAGES} pages are printed. Download the file to print the rest.`}</p>
      )}
    </div>
  );
}

/** A page of a PDF, or a picture, with its marks, under what it is. */
function PrintedPage({ page, words }: PageToPrint) {
  const { outline, source } = useViewedFile();
  const { index } = useMarks();
  const address = `page/${page}`;
  const [width = 595, height = 842] = outline.page_sizes?.[page - 1] ?? [];
  const ratio = width / height;
  const isClassified = index.count(address) > 0;
  const labels = index.labelsBelow(address);
  return (
    <figure className="mb-4 break-inside-avoid">
      <figcaption className="text-xs">
        {isClassified ? t`Page ${page}, classified` : t`Page ${page}`}
        {labels !== "" && <span className="mark-label">{labels}</span>}
      </figcaption>
      <div
        className={cx("pdf-page", isClassified && "pdf-page-classified")}
        data-own={index.isWhole(address) || undefined}
        style={{ width: `min(100%, ${HIGHEST_MM * ratio}mm)`, aspectRatio: ratio }}
      >
        <img src={source.pictureUrl(page, PAGE_PX)} alt="" className="absolute inset-0 size-full" />
        {words && <WordLayer address={address} laid={laidWords(words)} ranges={index.ranges(address)} ratio={ratio} />}
        <AreaLayer page={page} size={[width, height]} />
      </div>
    </figure>
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
                const labels = isClassified ? cellLabels(index, table, at + 1, name) : "";
                return (
                  <td key={name} className="document">
                    {isClassified ? (
                      <mark className="classified" data-label={labels || undefined}>
                        {text}
                      </mark>
                    ) : (
                      text
                    )}
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
