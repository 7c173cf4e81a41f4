import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type FileSource, rowsQuery } from "@/api/file-source";
import type { Outline, Row } from "@/api/files";
import { Loaded } from "@/components/ui/Loaded";
import { Select } from "@/components/ui/Select";

const MOST_ROWS = 50;
const MOST_COLUMNS = 30;

type SheetShown = NonNullable<Outline["sheets"]>[number];

interface SheetsPreviewProps {
  edition: FileSource;
  sheets: readonly SheetShown[];
}

/** The first cells of each sheet of the redacted edition. */
export function SheetsPreview({ edition, sheets }: SheetsPreviewProps) {
  const [chosen, choose] = useState<string | null>(null);
  const sheet = sheets.find(({ name }) => name === chosen) ?? sheets[0];
  if (!sheet) return <p>{t`The workbook has no sheets.`}</p>;
  return (
    <div className="flex flex-col gap-3">
      {sheets.length > 1 && (
        <Select
          label={t`Sheet`}
          labelHidden
          value={sheet.name}
          onValueChange={choose}
          choices={sheets.map(({ name }) => ({ value: name, label: name }))}
          className="w-44"
        />
      )}
      <Cells key={sheet.name} edition={edition} sheet={sheet} />
    </div>
  );
}

function Cells({ edition, sheet }: { edition: FileSource; sheet: SheetShown }) {
  const read = useQuery(rowsQuery(edition, sheet.name, 1, MOST_ROWS));
  return (
    <Loaded query={read} what={t`the sheet`} lines={4}>
      {(rows) => <Table sheet={sheet} rows={rows} />}
    </Loaded>
  );
}

function Table({ sheet, rows }: { sheet: SheetShown; rows: readonly Row[] }) {
  const columns = sheet.columns.slice(0, MOST_COLUMNS);
  const more = sheet.rows > rows.length || sheet.columns.length > columns.length;
  return (
    <>
      <section
        aria-label={t`Sheet ${{ name: sheet.name }}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keys
        tabIndex={0}
        className="max-h-[50dvh] overflow-auto rounded-md border border-line bg-paper"
      >
        <table className="border-collapse text-xs">
          <thead>
            <tr>
              <th scope="col" className="sticky top-0 bg-sunken px-2 py-1 text-quiet">
                <span className="sr-only">{t`Row`}</span>
              </th>
              {columns.map((name) => (
                <th
                  key={name}
                  scope="col"
                  className="sticky top-0 bg-sunken px-2 py-1 text-left font-medium text-quiet"
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its number
              <tr key={at} className="border-line border-t">
                <th scope="row" className="bg-sunken px-2 py-1 text-right font-normal text-quiet tabular-nums">
                  {at + 1}
                </th>
                {columns.map((name, column) => (
                  <td key={name} className="max-w-60 truncate px-2 py-1">
                    {row[column]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {more && <p className="text-quiet">{t`Preview truncated. Download the file to see everything.`}</p>}
    </>
  );
}
