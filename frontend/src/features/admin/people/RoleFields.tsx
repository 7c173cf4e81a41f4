import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useId } from "react";
import { Checkbox } from "@/components/ui/Checkbox";

/** What an account may do, as its form holds it. */
export interface Roles {
  is_author: boolean;
  is_recipient: boolean;
  is_admin: boolean;
  cleared: boolean;
}

const BOXES: readonly { key: keyof Roles; label: string; hint: string }[] = [
  { key: "is_author", label: t`Author`, hint: t`Writes, marks and sends documents.` },
  { key: "is_recipient", label: t`Recipient`, hint: t`Receives documents.` },
  {
    key: "cleared",
    label: t`Cleared`,
    hint: t`Can read classified content. Others see only that something is withheld.`,
  },
  { key: "is_admin", label: t`Admin`, hint: t`Manages people and peers. Does not give access to documents.` },
];

interface RoleFieldsProps {
  roles: Roles;
  onChange: (roles: Roles) => void;
  /** What is wrong with the choice. */
  error?: string | null;
}

/** The boxes for roles and clearance. */
export function RoleFields({ roles, onChange, error = null }: RoleFieldsProps) {
  const fault = useId();
  return (
    <fieldset aria-describedby={error ? fault : undefined} className="flex flex-col gap-3">
      <legend className="mb-2 font-medium text-sm">
        <Trans>Roles</Trans>
      </legend>
      {error && (
        <p id={fault} role="alert" className="text-danger text-sm">
          {error}
        </p>
      )}
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
