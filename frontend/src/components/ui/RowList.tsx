import type { ComponentProps, CSSProperties, KeyboardEventHandler, ReactNode } from "react";
import { cx } from "@/lib/cx";
import type { Column } from "./DataTable";
import { Skeleton } from "./Skeleton";

/** A column of a `RowList`. A `DataTable` takes the same objects. */
export interface RowColumn<Row> extends Pick<Column<Row>, "id" | "header" | "cell" | "names"> {
  /** Its width from 768 px on: a track of a CSS grid. */
  width: string;
  /** Small print. On a phone all facts share one line; a named one has its header before it there. */
  fact?: "named" | "unnamed";
  /** Controls beside the link, which stay at this side on a phone. */
  side?: "start" | "end";
  className?: string;
}

/** The class of the link that makes a whole row clickable. */
export const ROW_LINK =
  "no-underline after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 " +
  "focus-visible:after:outline-focus focus-visible:after:-outline-offset-2";

/** The name of a row: a heading around its link. */
export function RowTitle({ className, children }: { className?: string | false; children: ReactNode }) {
  return (
    <h2 className={cx("wrap-anywhere line-clamp-2 font-serif text-[1.0625rem] leading-snug", className)}>{children}</h2>
  );
}

/** The class of a `RowTitle` in a dense list: one line from 768 px on. */
export const DENSE_TITLE = "md:line-clamp-1 md:text-base md:leading-6";

interface RowListProps<Row> extends Omit<ComponentProps<"ul">, "children" | "onKeyDown"> {
  "aria-label": string;
  columns: readonly RowColumn<Row>[];
  rows: readonly Row[];
  isSelected?: (row: Row) => boolean;
  /** Each row is one line from 768 px on. Its cells must fit. */
  dense?: boolean;
  /** The rows answer an earlier question; the new answer is loading. */
  stale?: boolean;
  /** Above the first row, and in view while the page scrolls. */
  header?: ReactNode;
  /** Called for keys in the header, too. */
  onKeyDown?: KeyboardEventHandler;
  /** Below the last row: a "Show more" button. */
  footer?: ReactNode;
}

/** Rows that each lead to a page: in columns from 768 px on, each a small card on a phone. */
export function RowList<Row extends { id: string }>(props: RowListProps<Row>) {
  const { columns, rows, isSelected, dense = false, stale = false, header, footer, onKeyDown, ...list } = props;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the controls inside it
    <div
      onKeyDown={onKeyDown}
      // A sticky header must not be clipped.
      className={cx(SHEET, "transition-opacity", !header && "overflow-hidden", stale && "opacity-60")}
    >
      {header}
      <ul {...list} aria-busy={stale}>
        {rows.map((row) => (
          <li
            key={row.id}
            {...gridOf(
              columns,
              dense,
              "relative border-line border-b last:rounded-b-lg last:border-b-0",
              isSelected?.(row) ? "bg-focus/10" : "hover:bg-sunken",
            )}
          >
            <Cells columns={columns} row={row} />
          </li>
        ))}
      </ul>
      {footer && <div className="flex justify-center border-line border-t p-3">{footer}</div>}
    </div>
  );
}

/** The shape of a `RowList` while it loads. `label`: what is loading, for screen readers. */
export function RowListSkeleton<Row>({
  label,
  columns,
  dense = false,
}: {
  label: string;
  columns: readonly RowColumn<Row>[];
  dense?: boolean;
}) {
  return (
    <div role="status" className={SHEET}>
      <span className="sr-only">{label}</span>
      {["first", "second", "third"].map((row) => (
        <div key={row} aria-hidden {...gridOf(columns, dense, "border-line border-b last:border-b-0")}>
          {columns.map(({ id, names, side }) =>
            side ? (
              <span key={id} className={side === "start" ? "size-5" : dense ? "size-6" : "size-10"} />
            ) : (
              <Skeleton
                key={id}
                lines={names && !dense ? 2 : 1}
                className={names ? "max-w-80 gap-2!" : "max-w-48 max-md:hidden"}
              />
            ),
          )}
        </div>
      ))}
    </div>
  );
}

const SHEET = "rounded-lg bg-paper shadow-sheet";

function gridOf<Row>(columns: readonly RowColumn<Row>[], dense: boolean, ...classes: string[]) {
  const sides = columns.some(({ side }) => side);
  return {
    style: { "--tracks": columns.map(({ width }) => width).join(" ") } as CSSProperties,
    className: cx(
      "grid gap-x-4 px-4 sm:px-6 md:grid-cols-(--tracks) md:items-center",
      dense ? "gap-y-1 py-3 md:min-h-7 md:gap-x-4 md:py-px pointer-coarse:md:min-h-11" : "gap-y-2 py-4 md:gap-x-6",
      sides ? "grid-cols-[auto_minmax(0,1fr)_auto]" : "grid-cols-1",
      ...classes,
    ),
  };
}

function Cells<Row>({ columns, row }: { columns: readonly RowColumn<Row>[]; row: Row }) {
  const sides = columns.some(({ side }) => side);
  const facts = columns.filter(({ fact }) => fact);
  const wide = sides && "max-md:col-span-2 max-md:col-start-2";
  return columns.map((column) => {
    const { id, names, fact, side, className, cell } = column;
    if (!fact) {
      return (
        <div
          key={id}
          className={cx(
            "min-w-0",
            // Above the link, which covers the row.
            side && "relative z-10",
            side === "end" && "max-md:col-start-3 max-md:row-start-1",
            !side && !names && wide,
            className,
          )}
        >
          {cell(row)}
        </div>
      );
    }
    if (column !== facts[0]) return null;
    return (
      <p key={id} className={cx("flex gap-x-4 text-quiet text-sm md:contents", wide)}>
        {facts.map((one) => (
          <span key={one.id} className={one.className}>
            {one.fact === "named" && <span className="md:sr-only">{one.header} </span>}
            {one.cell(row)}
          </span>
        ))}
      </p>
    );
  });
}
