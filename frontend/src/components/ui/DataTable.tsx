import {
  type ColumnDef,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { cx } from "@/lib/cx";

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel(), sortFns });

export interface Column<Row> {
  id: string;
  header: string;
  /** The header is for screen readers only (a column of buttons). */
  headerHidden?: boolean;
  cell: (row: Row) => ReactNode;
  /** Makes the column sortable, in the browser: only for lists that are loaded completely. */
  sortBy?: (row: Row) => string | number;
  /** "end" for figures. */
  align?: "start" | "end";
  /** The cell names the row: a row header, and the first line of the card on a phone. */
  names?: boolean;
  className?: string;
}

interface DataTableProps<Row> {
  /** The name of the table, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Shown if there are no rows. */
  empty?: ReactNode;
  /** Below the last row: a "Show more" button. */
  footer?: ReactNode;
  /** The rows answer an earlier question; the new answer is loading. */
  stale?: boolean;
  /** Rows are as low as those of a dense `RowList` from 640 px on. Most cells should fit on one line. */
  dense?: boolean;
}

/** A table; each row is a card below 640 px. Keep `columns` outside the component or in a memo. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowId, empty, footer, stale = false, dense = false } = props;
  const data = useMemo(() => [...rows], [rows]);
  const defs = useMemo(() => columns.map((column) => definition(column)), [columns]);
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const table = useTable({ features, columns: defs, data, getRowId: rowId, enableMultiSort: false });

  if (rows.length === 0 && empty) return empty;
  return (
    <section
      aria-label={caption}
      aria-busy={stale || undefined}
      className={cx("rounded-lg bg-paper shadow-sheet transition-opacity", stale && "opacity-60")}
    >
      <table className="w-full border-collapse text-left text-sm max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="border-line border-b">
              {group.headers.map((header) => {
                const column = byId.get(header.column.id);
                const sorted = header.column.getIsSorted();
                return (
                  <th
                    key={header.id}
                    scope="col"
                    // The name stays where the button is hidden.
                    aria-label={column?.sortBy && column.header}
                    aria-sort={sorted ? (sorted === "asc" ? "ascending" : "descending") : undefined}
                    className={cx(
                      "px-4 font-medium text-quiet",
                      dense ? "py-0.5" : "py-3",
                      column?.align === "end" && "text-right",
                    )}
                  >
                    {column?.sortBy ? (
                      <button
                        type="button"
                        onClick={header.column.getToggleSortingHandler()}
                        className={cx(
                          "inline-flex min-h-6 items-center gap-1 hover:text-ink",
                          sorted && "text-ink",
                          // Cards have no visible header, so nothing in it may take the focus.
                          "max-sm:hidden",
                        )}
                      >
                        {column.header}
                        {sorted === "asc" && <ArrowUp className="size-3.5" aria-hidden />}
                        {sorted === "desc" && <ArrowDown className="size-3.5" aria-hidden />}
                      </button>
                    ) : (
                      <span className={cx(column?.headerHidden && "sr-only")}>{column?.header}</span>
                    )}
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody className="max-sm:block">
          {table.getRowModel().rows.map((row) => (
            <tr
              key={row.id}
              className="border-line border-b last:border-b-0 hover:bg-sunken max-sm:relative max-sm:grid max-sm:grid-cols-[auto_1fr] max-sm:gap-x-4 max-sm:gap-y-1 max-sm:px-4 max-sm:py-4"
            >
              {columns.map((column) => (
                <BodyCell key={column.id} column={column} row={row.original} dense={dense} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {footer && <div className="flex justify-center border-line border-t p-3">{footer}</div>}
    </section>
  );
}

function BodyCell<Row>({ column, row, dense }: { column: Column<Row>; row: Row; dense: boolean }) {
  const end = column.align === "end";
  const whole = column.names || column.headerHidden;
  const className = cx(
    "px-4",
    // 20 rows fit below the header of a page of 800 px.
    dense ? "sm:h-7 sm:py-px pointer-coarse:sm:py-3" : "py-3",
    "align-middle max-sm:col-span-2 max-sm:grid max-sm:grid-cols-subgrid max-sm:p-0 max-sm:text-left",
    column.names && "font-medium",
    end && "text-right",
    column.className,
  );
  const inner = (
    <>
      {!whole && (
        <span aria-hidden className="text-quiet sm:hidden">
          {column.header}
        </span>
      )}
      <span className={cx("block min-w-0", whole && "max-sm:col-span-2")}>{column.cell(row)}</span>
    </>
  );
  return column.names ? (
    <th scope="row" className={cx(className, "text-left")}>
      {inner}
    </th>
  ) : (
    <td className={className}>{inner}</td>
  );
}

function definition<Row extends RowData>(column: Column<Row>): ColumnDef<typeof features, Row> {
  const { sortBy } = column;
  return sortBy
    ? { id: column.id, header: column.header, accessorFn: sortBy, enableSorting: true, sortFn: "auto" }
    : { id: column.id, header: column.header, enableSorting: false };
}
