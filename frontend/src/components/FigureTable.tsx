import { type ReactNode, useId } from "react";
import { cx } from "@/lib/cx";

interface FigureTableProps {
  caption: string;
  /** The first column names the row; the others are figures. */
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
}

/** Numbers in rows and columns. It scrolls within its own box. */
export function FigureTable({ caption, columns, rows }: FigureTableProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus, for the arrow keys
      tabIndex={0}
      className="relative max-h-96 overflow-auto rounded-lg bg-paper shadow-sheet"
    >
      <table className="w-full border-collapse text-sm">
        <caption id={id} className="sr-only">
          {caption}
        </caption>
        <thead className="sticky top-0 z-10 bg-paper">
          <tr className="border-line border-b">
            {columns.map((column, index) => (
              <th
                key={column}
                scope="col"
                className={cx("px-4 py-2.5 font-medium text-quiet", index === 0 ? "text-left" : "text-right")}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [name, ...figures] }) => (
            <tr key={key} className="border-line border-b last:border-b-0 hover:bg-sunken">
              <th scope="row" className="whitespace-nowrap px-4 py-2 text-left font-normal">
                {name}
              </th>
              {figures.map((figure, index) => (
                <td key={columns[index + 1]} className="whitespace-nowrap px-4 py-2 text-right">
                  {figure}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
