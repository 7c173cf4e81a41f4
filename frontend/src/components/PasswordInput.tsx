import { t } from "@lingui/core/macro";
import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { IconButton } from "./ui/IconButton";
import { Input } from "./ui/Input";

type PasswordInputProps = Omit<ComponentProps<typeof Input>, "type"> & {
  autoComplete: "current-password" | "new-password";
};

/** A password field with a button that shows the password. Use it inside a `Field`. */
export function PasswordInput(props: PasswordInputProps) {
  const [seen, setSeen] = useState(false);
  return (
    <div className="relative">
      <Input {...props} type={seen ? "text" : "password"} spellCheck={false} autoCapitalize="off" className="pr-11" />
      <IconButton
        size="sm"
        label={seen ? t`Hide password` : t`Show password`}
        icon={seen ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        onClick={() => setSeen(!seen)}
        className="absolute top-1 right-1"
      />
    </div>
  );
}
