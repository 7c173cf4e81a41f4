import { useEffect, useRef, useState } from "react";
import type { FileSource } from "@/api/file-source";
import { asProblem } from "@/api/problem";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Progress } from "@/components/ui/Progress";
import { RadioGroup } from "@/components/ui/RadioGroup";
import { Select } from "@/components/ui/Select";
import { type Place, whole } from "../model/marks";
import { cellAddress, hasLines, isHit, type Relation, type Rule, rowPlace, type Table } from "../model/table";
import { useOpenFile } from "../open-file";
import { scanRows } from "./scan-rows";

/** More marks than that are a column's, or a policy's, business. */
const MOST_MARKS = 200_000;
const EXAMPLES = 5;

const RELATIONS: readonly { value: Relation; label: string }[] = [
  { value: "is", label: "is" },
  { value: "contains", label: "contains" },
  { value: "begins", label: "begins with" },
  { value: "empty", label: "is empty" },
  { value: "filled", label: "is not empty" },
];

type What = "rows" | "cells";

interface Found {
  readonly rows: number;
  readonly places: readonly Place[];
  readonly examples: readonly { number: number; cell: string }[];
}

type Search =
  | { is: "no" }
  | { is: "under way"; rows: number }
  | { is: "done"; found: Found }
  | { is: "failed"; error: unknown };

interface RuleDialogProps {
  table: Table;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Finds and counts the rows whose value in a column matches, then marks them in one step. */
export function RuleDialog({ table, open, onOpenChange }: RuleDialogProps) {
  const file = useOpenFile();
  const [column, setColumn] = useState(table.columns[0] ?? "");
  const [relation, setRelation] = useState<Relation>("is");
  const [value, setValue] = useState("");
  const [matchCase, setMatchCase] = useState(false);
  const [what, setWhat] = useState<What>("rows");
  const [asked, setAsked] = useState(false);
  const [search, setSearch] = useState<Search>({ is: "no" });
  const gone = useRef<AbortController | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const wantsValue = relation !== "empty" && relation !== "filled";
  const missing = wantsValue && value.trim() === "";
  const forget = () => {
    gone.current?.abort();
    setSearch({ is: "no" });
  };
  useEffect(() => () => gone.current?.abort(), []);
  const changing =
    <Value,>(set: (value: Value) => void) =>
    (next: Value) => {
      set(next);
      forget();
    };

  const find = async () => {
    setAsked(true);
    if (missing) {
      field.current?.focus();
      return;
    }
    gone.current?.abort();
    const stop = new AbortController();
    gone.current = stop;
    setSearch({ is: "under way", rows: 0 });
    try {
      const found = await findRows(
        file.source,
        table,
        { column, relation, value, matchCase },
        what,
        stop.signal,
        (rows) => !stop.signal.aborted && setSearch({ is: "under way", rows }),
      );
      if (!stop.signal.aborted) setSearch({ is: "done", found });
    } catch (error) {
      if (!stop.signal.aborted) setSearch({ is: "failed", error });
    }
  };
  const found = search.is === "done" ? search.found : null;
  const tooMany = found !== null && found.places.length > MOST_MARKS;
  const close = () => {
    forget();
    setAsked(false);
    onOpenChange(false);
  };

  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && close()}
      title="Rows by rule"
      description="Marks the rows that exist now. To mark future rows too, use a policy."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          {search.is === "under way" ? (
            <Button onClick={forget}>Stop searching</Button>
          ) : (
            <Button {...(!found?.rows && { tone: "primary" })} onClick={() => void find()}>
              Find rows
            </Button>
          )}
          {found && found.rows > 0 && (
            <Button
              tone="primary"
              disabled={tooMany}
              onClick={() => {
                file.mark(found.places, rowsText(found.rows));
                close();
              }}
            >
              Mark {rowsText(found.rows)}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <Select
            label="Where column"
            value={column}
            onValueChange={changing(setColumn)}
            choices={table.columns.map((name) => ({ value: name, label: name }))}
          />
          <Select label="Condition" value={relation} onValueChange={changing(setRelation)} choices={RELATIONS} />
          {wantsValue && (
            <Field label="Text" error={asked && missing ? "Enter the text to look for." : null}>
              <Input
                ref={field}
                value={value}
                autoComplete="off"
                onChange={({ target }) => changing(setValue)(target.value)}
                onKeyDown={(event) => event.key === "Enter" && void find()}
              />
            </Field>
          )}
        </div>
        {wantsValue && <Checkbox checked={matchCase} onCheckedChange={changing(setMatchCase)} label="Match case" />}
        <RadioGroup<What>
          label="What to mark"
          value={what}
          onValueChange={changing(setWhat)}
          choices={[
            { value: "rows", label: "The whole row", hint: "Nobody can tell that the row existed." },
            { value: "cells", label: `Only its cell in ${column}`, hint: "The rest of the row stays plain." },
          ]}
        />
        {search.is === "under way" && (
          <Progress label="Searching the rows" value={search.rows} max={Math.max(1, table.rows)} />
        )}
        {search.is === "failed" && (
          <ErrorPanel title="The rows could not be searched." problem={asProblem(search.error)} />
        )}
        {found && (
          <div role="status" className="flex flex-col gap-2 rounded-md bg-sunken px-4 py-3 text-sm">
            <p className="font-medium">
              {found.rows === 0
                ? "No rows match."
                : `${rowsText(found.rows)} of ${table.rows.toLocaleString("en")} match.`}
            </p>
            {tooMany && (
              <p>
                That makes more than {MOST_MARKS.toLocaleString("en")} marks. Make the rule narrower, mark the column,
                or use a policy.
              </p>
            )}
            {found.examples.length > 0 && (
              <ul className="text-quiet">
                {found.examples.map(({ number, cell }) => (
                  <li key={number} className="truncate">
                    Row {number.toLocaleString("en")}: {cell || "(empty)"}
                  </li>
                ))}
                {found.rows > found.examples.length && <li>…</li>}
              </ul>
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
}

async function findRows(
  source: FileSource,
  table: Table,
  rule: Rule,
  what: What,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<Found> {
  const at = table.columns.indexOf(rule.column);
  const places: Place[] = [];
  const examples: { number: number; cell: string }[] = [];
  let rows = 0;
  const look = (row: readonly (string | null)[], number: number) => {
    const cell = row[at] ?? null;
    if (!isHit(rule, cell)) return;
    rows += 1;
    if (examples.length < EXAMPLES) examples.push({ number, cell: cell ?? "" });
    if (places.length > MOST_MARKS) return;
    if (what === "cells") {
      if (cell !== null) places.push(whole(cellAddress(table, number, rule.column)));
    } else if (hasLines(table)) places.push(rowPlace(number));
    else {
      for (const [index, one] of row.entries()) {
        if (one !== null) places.push(whole(cellAddress(table, number, table.columns[index] ?? "")));
      }
    }
  };
  await scanRows(source, table.sheet, look, onProgress, signal);
  return { rows, places, examples };
}

function rowsText(rows: number): string {
  return rows === 1 ? "1 row" : `${rows.toLocaleString("en")} rows`;
}
