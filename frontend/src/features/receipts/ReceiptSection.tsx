import { useMutation, useQuery } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { useId } from "react";
import { receiptQuery, verifyTransfer } from "@/api/transfers";
import type { TransferWhole } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Fact, Facts } from "@/components/ui/DefinitionList";
import { Digest } from "@/components/ui/Digest";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Section } from "@/components/ui/Section";
import { Skeleton } from "@/components/ui/Skeleton";
import { saveBlob } from "@/lib/save-blob";
import { absoluteText } from "@/lib/times";
import { type ReceiptShown, readReceipt } from "./receipt";
import { VerificationList } from "./VerificationResult";

/** What the peer signed, and a way to have it checked again. */
export function ReceiptSection({ transfer }: { transfer: TransferWhole }) {
  const text = useQuery(receiptQuery(transfer.id));
  const verification = useMutation({ mutationFn: () => verifyTransfer(transfer.id) });
  const result = useId();
  const receipt = text.data === undefined ? null : readReceipt(text.data);
  return (
    <Section
      title="Receipt"
      lead={`The signed word of ${transfer.peer} that it holds the very document, safely stored.`}
      actions={
        <>
          {text.data !== undefined && (
            <Button
              icon={<Download aria-hidden />}
              onClick={() =>
                saveBlob(new Blob([text.data], { type: "application/json" }), `receipt-${transfer.id}.json`)
              }
            >
              Download receipt
            </Button>
          )}
          <Button
            icon={<ShieldCheck aria-hidden />}
            busy={verification.isPending}
            onClick={() => verification.mutate()}
            aria-controls={verification.data ? result : undefined}
          >
            Verify
          </Button>
        </>
      }
    >
      {verification.error && (
        <ErrorPanel
          title="It could not be verified now."
          problem={verification.error}
          onRetry={() => verification.mutate()}
        />
      )}
      {verification.data && <VerificationList id={result} verification={verification.data} />}
      {text.error && (
        <ErrorPanel title="The receipt could not be loaded." problem={text.error} onRetry={() => void text.refetch()} />
      )}
      {text.isPending && <Skeleton label="Loading the receipt" />}
      {receipt && <ReceiptFacts receipt={receipt} />}
      {text.data !== undefined && !receipt && (
        <p className="text-quiet text-sm">It is of a version that this page cannot show. Download it to read it.</p>
      )}
    </Section>
  );
}

function ReceiptFacts({ receipt }: { receipt: ReceiptShown }) {
  return (
    <Facts>
      <Fact name="Stored there">
        {absoluteText(receipt.receivedAt)} <span className="text-quiet">by its own clock</span>
      </Fact>
      <Fact name="Plain stream">
        <Digest value={receipt.plainDigest} what="digest of the plain stream" />
      </Fact>
      <Fact name="Whole document">
        <Digest value={receipt.documentDigest} what="digest of the document" />
      </Fact>
      <Fact name="Manifest">
        <Digest value={receipt.manifestDigest} what="digest of the manifest" />
      </Fact>
      <Fact name="Signed with key">
        <Digest value={receipt.key} what="key" />
      </Fact>
      <Fact name="Signature">
        <Digest value={receipt.signature} what="signature" />
      </Fact>
    </Facts>
  );
}
