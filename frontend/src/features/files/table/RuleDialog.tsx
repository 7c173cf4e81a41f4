import { plural, t } from "@lingui/core/macro";
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
import { numberText } from "@/lib/numbers";
import { type Place, whole } from "../model/marks";
import { cellAddress, hasLines, isHit, type Relation, type Rule, rowPlace, type Table } from "../model/table";
import { useOpenFile } from "../open-file";
import { scanRows } from "./scan-rows";

/** More marks than that are a column's, or a policy's, business. */
const MOST_MARKS = 200_000;
const EXAMPLES = 5;

const RELATIONS: readonly { value: Relation; label: string }[] = [
  { value: "is", label: t`is` },
  { value: "contains", label: t`contains` },
  { value: "begins", label: t`begins with` },
  { value: "empty", label: t`is empty` },
  { value: "filled", label: t`is not empty` },
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
      title={t`Rows by rule`}
      description={t`Marks the rows that exist now. To mark future rows too, use a policy.`}
      footer={
        <>
          <Button onClick={close}>{t`Cancel`}</Button>
          {search.is === "under way" ? (
            <Button onClick={forget}>{t`Stop searching`}</Button>
          ) : (
            <Button {...(!found?.rows && { tone: "primary" })} onClick={() => void find()}>{t`Find rows`}</Button>
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
              {plural(found.rows, { one: "Mark # row", other: "Mark # rows" })}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <Select
            label={t`Where column`}
            value={column}
            onValueChange={changing(setColumn)}
            choices={table.columns.map((name) => ({ value: name, label: name }))}
          />
          <Select label={t`Condition`} value={relation} onValueChange={changing(setRelation)} choices={RELATIONS} />
          {wantsValue && (
            <Field label={t`Text`} error={asked && missing ? t`Enter the text to look for.` : null}>
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
        {wantsValue && <Checkbox checked={matchCase} onCheckedChange={changing(setMatchCase)} label={t`Match case`} />}
        <RadioGroup<What>
          label={t`What to mark`}
          value={what}
          onValueChange={changing(setWhat)}
          choices={[
            { value: "rows", label: t`The whole row`, hint: t`Nobody can tell that the row existed.` },
            { value: "cells", label: t`Only its cell in ${column}`, hint: t`The rest of the row stays plain.` },
          ]}
        />
        {search.is === "under way" && (
          <Progress label={t`Searching the rows`} value={search.rows} max={Math.max(1, table.rows)} />
        )}
        {search.is === "failed" && (
          <ErrorPanel title={t`The rows could not be searched.`} problem={asProblem(search.error)} />
        )}
        {found && (
          <div role="status" className="flex flex-col gap-2 rounded-md bg-sunken px-4 py-3 text-sm">
            <p className="font-medium">
              {found.rows === 0
                ? t`No rows match.`
                : plural(found.rows, {
                    one: `# row of ${numberText(table.rows)} match.`,
                    other: `# rows of ${numberText(table.rows)} match.`,
                  })}
            </p>
            {tooMany && (
              <p>{t`That makes more than ${{ most: numberText(MOST_MARKS) }} marks. Make the rule narrower, mark the column, or use a policy.`}</p>
            )}
            {found.examples.length > 0 && (
              <ul className="text-quiet">
                {found.examples.map(({ number, cell }) => (
                  <li key={number} className="truncate">
                    {t`Row ${{ row: numberText(number) }}: ${{ cell: cell || t`(empty)` }}`}
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
  return plural(rows, { one: "# row", other: "# rows" });
}
