import { t } from "@lingui/core/macro";
import { type ComponentProps, useState } from "react";
import { FigureTable } from "@/components/FigureTable";
import { Button } from "@/components/ui/Button";
import { numberText } from "@/lib/numbers";

type FigureTableProps = ComponentProps<typeof FigureTable>;

interface PagedTableProps extends Omit<FigureTableProps, "rows"> {
  /** How many rows there are. */
  count: number;
  /** The rows of a page, `until` not included: of 100,000, only these are made. */
  rowsOf: (from: number, until: number) => FigureTableProps["rows"];
}

const ROWS = 100;

/** A table of many rows, 100 at a time. It says which are shown. */
export function PagedTable({ count, rowsOf, ...table }: PagedTableProps) {
  const [page, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(count / ROWS) - 1);
  // New figures may have fewer rows.
  const shown = Math.min(page, last);
  const from = shown * ROWS;
  const until = Math.min(from + ROWS, count);
  return (
    <div className="flex flex-col gap-2">
      {last > 0 && (
        <nav aria-label={t`Pages: ${table.caption}`} className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          <p role="status" className="text-quiet">
            {t`Rows ${numberText(from + 1)} to ${numberText(until)} of ${numberText(count)}. The CSV file has all.`}
          </p>
          <Button size="sm" disabled={shown === 0} onClick={() => setPage(shown - 1)}>{t`Previous`}</Button>
          <Button size="sm" disabled={shown === last} onClick={() => setPage(shown + 1)}>{t`Next`}</Button>
        </nav>
      )}
      <FigureTable key={shown} {...table} rows={rowsOf(from, until)} />
    </div>
  );
}
