import { t } from "@lingui/core/macro";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";

/** A field for the code that the other admin reads out. Typing it makes sure that both have talked. */
export function CodeField(props: { peer: string; value: string; onChange: (value: string) => void }) {
  const { peer } = props;
  return (
    <Field label={t`Code read out by ${peer}’s admin`} className="min-w-0 flex-1 basis-72">
      <Input
        value={props.value}
        maxLength={100}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        className="font-mono"
        onChange={(event) => props.onChange(event.target.value)}
      />
    </Field>
  );
}
