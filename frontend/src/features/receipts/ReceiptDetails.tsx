import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { Bytes } from "@/components/ui/Bytes";
import { Definition, DefinitionList } from "@/components/ui/DefinitionList";
import { Digest } from "@/components/ui/Digest";
import { absoluteText } from "@/lib/times";
import { readReceipt } from "./receipt";

/** The fields of a receipt, or of the excerpt for readers without clearance. */
export function ReceiptDetails({ text, whole = true }: { text: string; whole?: boolean }) {
  const fields = whole ? receiptFields(text) : excerptFields(text);
  return fields ? (
    <DefinitionList>{fields}</DefinitionList>
  ) : (
    <p className="text-quiet text-sm">{t`This page cannot show this version of the receipt. Download it instead.`}</p>
  );
}

function receiptFields(text: string): ReactNode {
  const receipt = readReceipt(text);
  if (!receipt) return null;
  return (
    <>
      <Definition term={t`Receiver`}>{receipt.receiver}</Definition>
      <Definition term={t`Stored`}>
        {absoluteText(receipt.receivedAt)} <span className="text-quiet">{t`by the receiver’s clock`}</span>
      </Definition>
      <Definition term={t`Size`}>
        <Trans>
          <Bytes value={receipt.documentBytes} />, <Bytes value={receipt.classifiedBytes} /> classified
        </Trans>
      </Definition>
      <DigestRow term={t`Plain stream`} value={receipt.plainDigest} what={t`digest of the plain stream`} />
      <DigestRow term={t`Document`} value={receipt.documentDigest} what={t`digest of the document`} />
      <DigestRow term={t`Manifest`} value={receipt.manifestDigest} what={t`digest of the manifest`} />
      <DigestRow term={t`Signing key`} value={receipt.key} what={t`key`} />
      <DigestRow term={t`Signature`} value={receipt.signature} what={t`signature`} />
    </>
  );
}

function excerptFields(text: string): ReactNode {
  const { transfer_id, plain_digest, received_at } = JSON.parse(text) as Record<string, string>;
  if (!transfer_id || !plain_digest || !received_at) return null;
  return (
    <>
      <DigestRow term={t`Transfer ID`} value={transfer_id} what={t`transfer ID`} />
      <Definition term={t`Stored`}>{absoluteText(new Date(received_at))}</Definition>
      <DigestRow term={t`Plain stream`} value={plain_digest} what={t`digest of the plain stream`} />
    </>
  );
}

function DigestRow({ term, ...digest }: { term: string; value: string; what: string }) {
  return (
    <Definition term={term}>
      <Digest {...digest} />
    </Definition>
  );
}
