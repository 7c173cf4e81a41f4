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
      <Definition term="Plain stream">
        <Digest value={receipt.plainDigest} what="digest of the plain stream" />
      </Definition>
      <Definition term="Document">
        <Digest value={receipt.documentDigest} what="digest of the document" />
      </Definition>
      <Definition term="Manifest">
        <Digest value={receipt.manifestDigest} what="digest of the manifest" />
      </Definition>
      <Definition term="Signing key">
        <Digest value={receipt.key} what="key" />
      </Definition>
      <Definition term="Signature">
        <Digest value={receipt.signature} what="signature" />
      </Definition>
    </>
  );
}

function excerptFields(text: string): ReactNode {
  const { transfer_id, plain_digest, received_at } = JSON.parse(text) as Record<string, string>;
  if (!transfer_id || !plain_digest || !received_at) return null;
  return (
    <>
      <Definition term="Transfer ID">
        <Digest value={transfer_id} what="transfer ID" />
      </Definition>
      <Definition term="Stored">{absoluteText(new Date(received_at))}</Definition>
      <Definition term="Plain stream">
        <Digest value={plain_digest} what="digest of the plain stream" />
      </Definition>
    </>
  );
}
