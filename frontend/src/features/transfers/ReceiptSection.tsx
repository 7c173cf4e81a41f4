import { t } from "@lingui/core/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { useId } from "react";
import { receiptQuery, verifyTransfer } from "@/api/transfers";
import type { TransferWhole } from "@/api/types";
import { WhatIsThis } from "@/components/help/WhatIsThis";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Loaded } from "@/components/ui/Loaded";
import { Section } from "@/components/ui/Section";
import { ReceiptDetails } from "@/features/receipts/ReceiptDetails";
import { VerificationResult } from "@/features/receipts/VerificationResult";
import { saveBlob } from "@/lib/save-blob";

/** The peer's receipt: its fields, its file, and a button that verifies it again. */
export function ReceiptSection({ transfer }: { transfer: TransferWhole }) {
  const text = useQuery(receiptQuery(transfer.id));
  const verification = useMutation({ mutationFn: () => verifyTransfer(transfer.id) });
  const result = useId();
  return (
    <Section
      title={t`Receipt`}
      help={<WhatIsThis term="receipt" />}
      lead={t`The signed receipt from ${transfer.peer} for this exact document.`}
      actions={
        <>
          {text.data !== undefined && (
            <Button
              icon={<Download aria-hidden />}
              onClick={() =>
                saveBlob(new Blob([text.data], { type: "application/json" }), `receipt-${transfer.id}.json`)
              }
            >{t`Download receipt`}</Button>
          )}
          <Button
            icon={<ShieldCheck aria-hidden />}
            busy={verification.isPending}
            onClick={() => verification.mutate()}
            aria-controls={verification.data ? result : undefined}
          >{t`Verify`}</Button>
        </>
      }
    >
      {verification.error && (
        <ErrorPanel
          title={t`Could not verify the receipt.`}
          problem={verification.error}
          onRetry={() => verification.mutate()}
        />
      )}
      {verification.data && <VerificationResult id={result} verification={verification.data} />}
      <Loaded query={text} what={t`the receipt`}>
        {(receipt) => <ReceiptDetails text={receipt} />}
      </Loaded>
    </Section>
  );
}
