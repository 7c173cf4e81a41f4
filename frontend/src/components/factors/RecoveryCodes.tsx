import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "../ui/Button";
import { CopyButton } from "../ui/CopyButton";

/** Shows new recovery codes, once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        <Trans>
          If you lose your second factor, sign in with one of these codes. Each works once. Save them where you keep
          your passwords: you cannot see them again.
        </Trans>
      </p>
      <ul
        aria-label={t`Recovery codes`}
        className="grid gap-x-6 gap-y-1 rounded-md border border-line bg-sunken px-4 py-3 font-mono text-sm select-all sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <CopyButton text={codes.join("\n")} what={t`recovery codes`} worded />
        <Button tone="primary" autoFocus onClick={onDone}>
          {t`I have saved them`}
        </Button>
      </div>
    </div>
  );
}
