import { t } from "@lingui/core/macro";
import { Columns3, Filter, Table2 } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { viewOf } from "@/api/formats";
import { Button } from "@/components/ui/Button";
import { EmptyState } from "@/components/ui/EmptyState";
import { Select } from "@/components/ui/Select";
import { sheetOf, type Table } from "../model/table";
import { useViewedFile, type ViewedFile } from "../viewed-file";
import { BesideCells } from "./BesideCells";
import { ColumnsDialog } from "./ColumnsDialog";
import { GoToRow } from "./GoToRow";
import { type GoTo, Grid } from "./Grid";
import { RuleDialog } from "./RuleDialog";
import "../files.css";

/** A table, or the sheets of a workbook one at a time, in a grid; and ways to mark by name and by rule. */
export function TableView() {
  const file = useViewedFile();
  const { outline, format, marking } = file;
  const sheets = outline.sheets ?? [];
  const [sheet, setSheet] = useState(sheets[0]?.name ?? null);
  const [goTo, setGoTo] = useState<GoTo | null>(null);
  const table = useMemo(() => tableOf(file, sheet), [file, sheet]);
  const [shown, show] = useState<"columns" | "rule" | null>(null);

  useEffect(() => {
    file.jump = (address, _start, _end, focus = true) => {
      const there = sheetOf(address);
      if (there !== null && sheets.some(({ name }) => name === there)) setSheet(there);
      setGoTo((before) => ({ address, focus, turn: (before?.turn ?? 0) + 1 }));
    };
    return () => {
      file.jump = () => {};
    };
  });

  const filled = table !== null && table.columns.length > 0;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-end gap-2">
        {sheets.length > 1 && (
          <Select
            label={t`Sheet`}
            labelHidden
            value={sheet ?? ""}
            onValueChange={(next) => {
              setSheet(next);
              setGoTo(null); // it was a place of the other sheet
            }}
            choices={sheets.map(({ name, hidden }) => ({ value: name, label: hidden ? t`${name} (hidden)` : name }))}
            className="w-44"
          />
        )}
        {filled && (
          <>
            {marking && sheet === null && (
              <Button icon={<Columns3 aria-hidden />} onClick={() => show("columns")}>{t`Columns`}</Button>
            )}
            {marking && <Button icon={<Filter aria-hidden />} onClick={() => show("rule")}>{t`Rows by rule`}</Button>}
            <GoToRow
              rows={table.rows}
              onRow={(row) => setGoTo((before) => ({ address: null, row, focus: true, turn: (before?.turn ?? 0) + 1 }))}
            />
          </>
        )}
      </div>
      {!filled && (
        <EmptyState icon={<Table2 />} title={sheet === null ? t`The table is empty` : t`Sheet ${sheet} is empty`}>
          {marking ? t`There are no cells to mark. You can still send the file.` : t`It has no cells.`}
        </EmptyState>
      )}
      {filled && <Grid key={sheet ?? ""} table={table} goTo={goTo} />}
      {viewOf(format) === "sheets" && <BesideCells />}
      {marking && filled && sheet === null && (
        <ColumnsDialog
          table={table}
          open={shown === "columns"}
          onOpenChange={(open) => show(open ? "columns" : null)}
        />
      )}
      {marking && filled && (
        <RuleDialog
          key={`rule ${sheet}`}
          table={table}
          open={shown === "rule"}
          onOpenChange={(open) => show(open ? "rule" : null)}
        />
      )}
    </div>
  );
}

/** The table that is shown: of a workbook one sheet. Null where there is none. */
function tableOf({ outline }: ViewedFile, sheet: string | null): Table | null {
  const { format, columns, rows, sheets } = outline;
  if (sheets === null) return { format, sheet: null, columns: columns ?? [], rows: rows ?? 0 };
  const there = sheets.find(({ name }) => name === sheet);
  return there ? { format, sheet: there.name, columns: there.columns, rows: there.rows } : null;
}
