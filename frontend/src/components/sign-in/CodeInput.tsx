import { Input } from "../ui/Input";

/** A field for a code of an authenticator app. */
export function CodeInput({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Input
      name="one-time-code"
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={7}
      autoFocus
      className="font-mono tracking-widest"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
