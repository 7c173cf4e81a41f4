import { t } from "@lingui/core/macro";
import { Check, Circle } from "lucide-react";
import { cx } from "@/lib/cx";
import { passwordRules } from "@/lib/passwords";
import { PasswordInput } from "./PasswordInput";
import { Field } from "./ui/Field";

interface NewPasswordFieldProps {
  login: string;
  value: string;
  onChange: (value: string) => void;
}

/** A field for a new password. Each rule below it is ticked once the password follows it. */
export function NewPasswordField({ login, value, onChange }: NewPasswordFieldProps) {
  const hint = (
    <ul className="mt-1 flex flex-col gap-0.5">
      {passwordRules(value, login).map((rule) => (
        <li key={rule.says} className={cx("flex items-center gap-2", rule.kept && "text-ok")}>
          {rule.kept ? (
            <Check className="size-4 shrink-0" aria-hidden />
          ) : (
            <Circle className="mx-0.5 size-3 shrink-0" aria-hidden />
          )}
          <span className="wrap-anywhere min-w-0">
            {rule.says}
            {rule.kept && <span className="sr-only">{t`: done`}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
  return (
    <Field label={t`New password`} hint={hint}>
      <PasswordInput
        autoComplete="new-password"
        name="new-password"
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
