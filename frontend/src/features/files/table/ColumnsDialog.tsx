import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { Dialog } from "@/components/ui/Dialog";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { numberText } from "@/lib/numbers";
import { whole } from "../model/marks";
import { columnPlace, hasHeader, type Table } from "../model/table";
import { useOpenFile } from "../open-file";
import { useMarks } from "../viewed-file";

const MOST_SHOWN = 200;
/** So few are seen at a glance. */
const FEW = 8;

interface ColumnsDialogProps {
  table: Table;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Marks columns by name. Each tick applies at once and can be undone. */
export function ColumnsDialog({ table, open, onOpenChange }: ColumnsDialogProps) {
  const file = useOpenFile();
  const { index } = useMarks();
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const found = table.columns.filter((name) => name.toLowerCase().includes(wanted));
  const left = found.length - MOST_SHOWN;
  const named = hasHeader(table);
  const set = (on: boolean, address: string, words: string) =>
    on ? file.mark([whole(address)], words) : file.unmark([whole(address)], words);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t`Columns`}
      description={
        named
          ? t`The name of a classified column stays plain, unless you classify it too.`
          : t`The keys of a classified column are classified with their values.`
      }
      footer={<Button tone="primary" onClick={() => onOpenChange(false)}>{t`Done`}</Button>}
    >
      <div className="flex flex-col gap-3">
        {table.columns.length > FEW && (
          <Field label={t`Filter columns`} labelHidden>
            <Input value={filter} onChange={({ target }) => setFilter(target.value)} placeholder={t`Filter columns`} />
          </Field>
        )}
        <ul aria-label={t`Columns`} className="flex flex-col divide-y divide-line">
          {found.slice(0, MOST_SHOWN).map((name) => (
            <li key={name} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-2">
              <Checkbox
                checked={index.isWhole(columnPlace(name).address)}
                onCheckedChange={(on) => set(on, columnPlace(name).address, t`column ${name}`)}
                label={<span className="wrap-anywhere">{name}</span>}
                className="min-w-0 flex-1 basis-48"
              />
              {named && (
                <Checkbox
                  checked={index.covering(`row/0/${name}`) !== null}
                  disabled={index.isWhole("row/0")}
                  onCheckedChange={(on) => set(on, `row/0/${name}`, t`the name of column ${name}`)}
                  label={
                    <Trans>
                      its name too<span className="sr-only"> ({name})</span>
                    </Trans>
                  }
                  className="text-quiet"
                />
              )}
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="text-quiet text-sm">{t`No column has “${filter}” in its name.`}</p>}
        {left > 0 && (
          <p className="text-quiet text-sm">{t`And ${{ count: numberText(left) }} more. Type part of a name to find a column.`}</p>
        )}
      </div>
    </Dialog>
  );
}
