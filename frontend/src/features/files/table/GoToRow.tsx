import { t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { announce } from "@/components/announce";
import { Button } from "@/components/ui/Button";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { numberText } from "@/lib/numbers";

/** To a row by its number. */
export function GoToRow({ rows, onRow }: { rows: number; onRow: (row: number) => void }) {
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const id = useId();
  return (
    <form
      noValidate
      className="flex items-start gap-2 sm:ml-auto"
      onSubmit={(event) => {
        event.preventDefault();
        const row = Number(typed.replace(/[\s,]/g, ""));
        if (!Number.isInteger(row) || row < 1 || row > rows) {
          const wrong = t`Rows are 1 to ${{ last: numberText(rows) }}.`;
          setFault(wrong);
          announce(wrong);
          return;
        }
        setFault(null);
        onRow(row);
      }}
    >
      <Field label={t`Go to row`} labelHidden error={fault}>
        <Input
          id={id}
          inputMode="numeric"
          placeholder={t`Row`}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          className="max-w-28"
        />
      </Field>
      <Button type="submit">{t`Go`}</Button>
    </form>
  );
}
