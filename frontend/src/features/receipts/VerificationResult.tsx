import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CircleCheck, CircleX } from "lucide-react";
import { saidText } from "@/api/sentence-text";
import type { VerificationShown } from "@/api/types";
import { Digest } from "@/components/ui/Digest";
import { cx } from "@/lib/cx";

interface VerificationResultProps {
  id?: string;
  verification: VerificationShown;
  /** False for readers without clearance, for whom only the plain part is checked. */
  whole?: boolean;
}

/** The result of checking a receipt against the stored document, check by check. Screen readers announce it. */
export function VerificationResult({ id, verification, whole = true }: VerificationResultProps) {
  const { valid, checks, signer, key } = verification;
  return (
    <div
      id={id}
      role={valid ? "status" : "alert"}
      className={cx(
        "flex flex-col gap-2 rounded-md border px-4 py-3 text-sm",
        valid ? "border-ok/50 bg-ok-ground" : "border-danger/50 bg-danger-ground",
      )}
    >
      <p className="font-medium">{valid ? validText(whole) : invalidText(verification)}</p>
      <ul aria-label={t`Checks`} className="flex flex-col gap-1.5">
        {checks.map(({ name, ok, says, said }) => (
          <li key={name} className="flex items-start gap-2">
            {ok ? (
              <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
            ) : (
              <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
            )}
            <span className="wrap-anywhere min-w-0">
              <span className="sr-only">{ok ? t`Passed:` : t`Failed:`} </span>
              {saidText(said, says)}
            </span>
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap items-center gap-x-2 text-quiet">
        <Trans>
          Signed by {signer}, key <Digest value={key} what={t`key of ${signer}`} />
        </Trans>
      </p>
    </div>
  );
}

function validText(whole: boolean): string {
  return whole
    ? t`All checks passed: the receipt matches the stored document.`
    : t`All checks passed for the part that you can read.`;
}

function invalidText({ checks }: VerificationShown): string {
  const failed = checks.filter(({ ok }) => !ok).length;
  return t`${failed} of ${{ checks: checks.length }} checks failed. Do not rely on this document. Tell your admin.`;
}
