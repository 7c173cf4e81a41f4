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
    <p className="text-quiet text-sm">This page cannot show this version of the receipt. Download it instead.</p>
  );
}

function receiptFields(text: string): ReactNode {
  const receipt = readReceipt(text);
  if (!receipt) return null;
  return (
    <>
      <Definition term="Receiver">{receipt.receiver}</Definition>
      <Definition term="Stored">
        {absoluteText(receipt.receivedAt)} <span className="text-quiet">by the receiver’s clock</span>
      </Definition>
      <Definition term="Size">
        <Bytes value={receipt.documentBytes} />, <Bytes value={receipt.classifiedBytes} /> classified
      </Definition>
      <DigestRow term="Plain stream" value={receipt.plainDigest} what="digest of the plain stream" />
      <DigestRow term="Document" value={receipt.documentDigest} what="digest of the document" />
      <DigestRow term="Manifest" value={receipt.manifestDigest} what="digest of the manifest" />
      <DigestRow term="Signing key" value={receipt.key} what="key" />
      <DigestRow term="Signature" value={receipt.signature} what="signature" />
    </>
  );
}

function excerptFields(text: string): ReactNode {
  const { transfer_id, plain_digest, received_at } = JSON.parse(text) as Record<string, string>;
  if (!transfer_id || !plain_digest || !received_at) return null;
  return (
    <>
      <DigestRow term="Transfer ID" value={transfer_id} what="transfer ID" />
      <Definition term="Stored">{absoluteText(new Date(received_at))}</Definition>
      <DigestRow term="Plain stream" value={plain_digest} what="digest of the plain stream" />
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
