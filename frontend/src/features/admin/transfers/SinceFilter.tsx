import { t } from "@lingui/core/macro";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";

/** Filters by the first day. `value`: "2026-11-21", or empty. */
export function SinceFilter({ value, onValueChange }: { value: string; onValueChange: (day: string) => void }) {
  return (
    <Field label={t`Since`} className="col-span-2 w-full flex-row! items-center gap-2! sm:w-52">
      <Input type="date" value={value} onChange={({ target }) => onValueChange(target.value)} />
    </Field>
  );
}
