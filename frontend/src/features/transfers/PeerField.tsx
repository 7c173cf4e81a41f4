import { Select } from "@/components/ui/Select";

interface PeerFieldProps {
  /** At least one. */
  names: readonly string[];
  value: string | null;
  onValueChange: (name: string) => void;
  /** The author tried to send without choosing one. */
  missing: boolean;
}

/** The gateway to send to. If there is only one, it is chosen. */
export function PeerField({ names, value, onValueChange, missing }: PeerFieldProps) {
  if (names.length === 1) {
    return (
      <p className="flex flex-col gap-1 text-sm">
        <span className="font-medium">Gateway</span>
        <span className="wrap-anywhere">{names[0]}</span>
      </p>
    );
  }
  const choices = names.map((name) => ({ value: name, label: name }));
  return (
    <div data-fault={missing || undefined} className="flex flex-col gap-1">
      <Select
        label="Gateway"
        value={value ?? ""}
        onValueChange={onValueChange}
        choices={value === null ? [{ value: "", label: "Choose a gateway" }, ...choices] : choices}
      />
      {missing && (
        <p role="alert" className="text-danger text-sm">
          Choose a gateway.
        </p>
      )}
    </div>
  );
}
