import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { UseMutationResult } from "@tanstack/react-query";
import { CircleCheck, CircleX } from "lucide-react";
import type { AuditChain } from "@/api/audit";
import { Digest } from "@/components/ui/Digest";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { cx } from "@/lib/cx";
import { sentence } from "@/lib/prose";

/** The result of checking that no entry was changed or removed. Screen readers announce it. */
export function ChainCheck({ check }: { check: UseMutationResult<AuditChain, Error, void> }) {
  if (check.error) {
    return <ErrorPanel title={t`Could not check the log.`} problem={check.error} onRetry={() => check.mutate()} />;
  }
  if (!check.data) return null;
  const { entries, head, problems, known } = check.data;
  const intact = problems.length === 0;
  const listed = intact ? known : problems;
  return (
    <div
      role={intact ? "status" : "alert"}
      className={cx(
        "flex gap-3 rounded-md border px-4 py-3 text-sm",
        intact ? "border-ok/50 bg-ok-ground" : "border-danger/50 bg-danger-ground",
      )}
    >
      {intact ? (
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
      ) : (
        <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      )}
      <div className="wrap-anywhere min-w-0">
        <p className="font-medium">
          {!intact
            ? t`The log has been changed.`
            : known.length > 0
              ? t`No entries have been changed since an admin continued the log. Known before that:`
              : intactText(entries)}
        </p>
        {listed.length > 0 && (
          <ul className="list-disc pl-4">
            {listed.map((one) => (
              <li key={one}>{sentence(one)}</li>
            ))}
          </ul>
        )}
        {!intact && (
          <p>
            {t`Find out what happened first. The person who runs this gateway can then continue the log, with a reason.`}
          </p>
        )}
        <p className="flex flex-wrap items-center gap-x-2 text-quiet">
          <Trans>
            Head <Digest value={head} what={t`head of the audit log`} />
          </Trans>
        </p>
      </div>
    </div>
  );
}

const intactText = (entries: number) =>
  plural(entries, {
    one: "The only entry has not been changed.",
    other: "None of the # entries has been changed.",
  });
