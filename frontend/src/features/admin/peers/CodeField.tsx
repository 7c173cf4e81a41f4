import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";

/** Where the code goes that the other admin reads out. It is typed, so that it is heard. */
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
