import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";

/** A field for the code that the other admin reads out. Typing it makes sure that both have talked. */
export function CodeField(props: { peer: string; value: string; onChange: (value: string) => void }) {
  return (
    <Field label={`Code read out by ${props.peer}’s admin`} className="min-w-0 flex-1 basis-72">
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
