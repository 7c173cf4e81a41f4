import { useMutation } from "@tanstack/react-query";
import { CircleCheck, CircleX, ShieldCheck } from "lucide-react";
import { useEffect, useRef } from "react";
import { verifyEntry } from "@/api/inbox";
import type { VerificationShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Digest } from "@/components/ui/Digest";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { cx } from "@/lib/cx";

/** Has the gateway check receipt and document against each other now, and says what it found, check by check. */
export function Verification({ id, whole }: { id: string; whole: boolean }) {
  const verification = useMutation({ mutationFn: () => verifyEntry(id) });
  const found = verification.data;
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // It appears below the button, where there may be no room left.
    if (verification.data || verification.error) part.current?.scrollIntoView?.({ block: "nearest" });
  }, [verification.data, verification.error]);
  return (
    <div ref={part} className="flex flex-col items-start gap-3 text-sm">
      <Button size="sm" icon={<ShieldCheck />} busy={verification.isPending} onClick={() => verification.mutate()}>
        {found ? "Verify again" : "Verify"}
      </Button>
      {verification.error && (
        <ErrorPanel title="It could not be verified." problem={verification.error} className="w-full" />
      )}
      {found && !verification.isPending && <Findings found={found} whole={whole} />}
    </div>
  );
}

function Findings({ found, whole }: { found: VerificationShown; whole: boolean }) {
  const failed = found.checks.filter(({ ok }) => !ok).length;
  return (
    <div className="flex w-full flex-col gap-3">
      <p
        role={found.valid ? "status" : "alert"}
        className={cx(
          "rounded-md border px-3 py-2 font-medium",
          found.valid ? "border-ok/50 bg-ok-ground text-ok" : "border-danger/50 bg-danger-ground text-danger",
        )}
      >
        {found.valid ? validText(whole) : invalidText(failed, found.checks.length)}
      </p>
      <ul aria-label="Checks" className="flex flex-col gap-2">
        {found.checks.map(({ name, ok, says }) => (
          <li key={name} className="flex gap-2">
            {ok ? (
              <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
            ) : (
              <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
            )}
            <span className={cx("wrap-anywhere min-w-0", !ok && "font-medium text-danger")}>
              <span className="sr-only">{ok ? "Holds: " : "Fails: "}</span>
              {says}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-quiet">
        Signed by {found.signer}, key <Digest value={found.key} what="key" />
      </p>
    </div>
  );
}

function validText(whole: boolean): string {
  return whole ? "Everything fits: this is what was sent." : "What you may read is what was sent.";
}

function invalidText(failed: number, all: number): string {
  const count = failed === 1 ? `1 of ${all} checks fails.` : `${failed} of ${all} checks fail.`;
  return `${count} Do not rely on this document; tell your administrator.`;
}
