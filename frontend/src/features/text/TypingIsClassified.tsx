import { t } from "@lingui/core/macro";
import { Lock } from "lucide-react";

/** For the status line, where text that is typed now becomes classified. */
export function TypingIsClassified() {
  return (
    <span className="flex items-center gap-1 whitespace-nowrap font-medium text-secure">
      <Lock aria-hidden className="size-3" />
      {t`Typing here is classified`}
    </span>
  );
}
