import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { receiptQuery } from "@/api/transfers";
import { Digest } from "@/components/ui/Digest";
import { readReceipt } from "@/features/receipts/receipt";

/** The digest of the plain stream from the receipt, once that is loaded. */
export function PlainDigest({ transferId }: { transferId: string }) {
  const { data } = useQuery(receiptQuery(transferId));
  const receipt = data === undefined ? null : readReceipt(data);
  if (!receipt) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm">
      <span className="text-quiet">{t`Plain stream`}</span>
      <Digest value={receipt.plainDigest} what={t`digest of the plain stream`} />
    </p>
  );
}
