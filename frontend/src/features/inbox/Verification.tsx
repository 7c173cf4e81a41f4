import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { useEffect, useRef } from "react";
import { verifyEntry } from "@/api/inbox";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { VerificationResult } from "@/features/receipts/VerificationResult";

/** Has the gateway check the receipt against the stored document now, and shows the result. */
export function Verification({ id, whole }: { id: string; whole: boolean }) {
  const verification = useMutation({ mutationFn: () => verifyEntry(id) });
  const found = verification.data;
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // It may appear below the visible part of the page.
    if (verification.data || verification.error) part.current?.scrollIntoView?.({ block: "nearest" });
  }, [verification.data, verification.error]);
  return (
    <div ref={part} className="flex flex-col items-start gap-3 text-sm">
      <Button size="sm" icon={<ShieldCheck />} busy={verification.isPending} onClick={() => verification.mutate()}>
        {found ? t`Verify again` : t`Verify`}
      </Button>
      {verification.error && (
        <ErrorPanel title={t`Could not verify the receipt.`} problem={verification.error} className="w-full" />
      )}
      {found && !verification.isPending && <VerificationResult verification={found} whole={whole} />}
    </div>
  );
}
