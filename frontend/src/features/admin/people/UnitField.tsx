import { t } from "@lingui/core/macro";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";

/** A person's department, which tells apart people of the same name. */
export function UnitField({ value, onValueChange }: { value: string; onValueChange: (value: string) => void }) {
  return (
    <Field label={t`Unit (optional)`} hint={t`For example, a department. People at peer gateways see it, too.`}>
      <Input value={value} maxLength={100} autoComplete="off" onChange={(event) => onValueChange(event.target.value)} />
    </Field>
  );
}
