import { Checkbox } from "@/components/ui/Checkbox";

/** What an account may do, as its form holds it. */
export interface Roles {
  is_author: boolean;
  is_recipient: boolean;
  is_admin: boolean;
  cleared: boolean;
}

const BOXES: readonly { key: keyof Roles; label: string; hint: string }[] = [
  { key: "is_author", label: "Author", hint: "Writes, marks and sends documents." },
  { key: "is_recipient", label: "Recipient", hint: "Receives what is addressed to them." },
  { key: "cleared", label: "Cleared", hint: "Reads what is classified in it; others see that something is withheld." },
  { key: "is_admin", label: "Admin", hint: "Keeps people and peers. Reads no documents by that." },
];

/** The boxes for roles and clearance. */
export function RoleFields({ roles, onChange }: { roles: Roles; onChange: (roles: Roles) => void }) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium text-sm">What they may do</legend>
      {BOXES.map(({ key, label, hint }) => (
        <Checkbox
          key={key}
          label={label}
          hint={hint}
          checked={roles[key]}
          onCheckedChange={(checked) => onChange({ ...roles, [key]: checked })}
        />
      ))}
    </fieldset>
  );
}
