import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import { entryReceiptQuery, entryReceiptUrl } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { Digest } from "@/components/ui/Digest";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Section } from "@/components/ui/Section";
import { Skeleton } from "@/components/ui/Skeleton";
import { readReceipt } from "@/features/receipts/receipt";
import { absoluteText } from "@/lib/times";
import { isWhole } from "./entry";
import { Fact } from "./Fact";
import { Verification } from "./Verification";

/** The receipt: what it says, the file, and whether it still holds. */
export function ReceiptSection({ entry }: { entry: EntryShown }) {
  const [open, setOpen] = useState(false);
  const whole = isWhole(entry);
  return (
    <Section
      title="Receipt"
      lead={
        whole
          ? "This gateway's signed word to the sender that it has the very document."
          : "You may see an excerpt of it, and have the plain part checked."
      }
    >
      <Verification id={entry.id} whole={whole} />
      <details className="text-sm" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="tap cursor-pointer py-1 font-medium">What it says</summary>
        {open && <Contents id={entry.id} whole={whole} />}
      </details>
      <a
        href={entryReceiptUrl(entry.id)}
        download={`${entry.transfer_id}.${whole ? "receipt" : "receipt-excerpt"}.json`}
        className="tap inline-flex min-h-6 items-center gap-2 self-start font-medium text-sm"
      >
        <Download aria-hidden className="size-4 shrink-0 text-quiet" />
        {whole ? "Download the receipt" : "Download the excerpt"}
      </a>
    </Section>
  );
}

function Contents({ id, whole }: { id: string; whole: boolean }) {
  const { data: text, error, refetch } = useQuery(entryReceiptQuery(id, whole));
  if (error) return <ErrorPanel title="It could not be loaded." problem={error} onRetry={() => void refetch()} />;
  if (text === undefined) return <Skeleton label="Loading the receipt" className="mt-2" />;
  const facts = whole ? factsOf(text) : excerptOf(text);
  return facts ? (
    <dl className="mt-1 flex flex-col gap-2">{facts}</dl>
  ) : (
    <p className="mt-1 text-quiet">This page cannot read it. Download it instead.</p>
  );
}

function factsOf(text: string): ReactNode {
  const receipt = readReceipt(text);
  if (!receipt) return null;
  return (
    <>
      <Fact term="Given by">{receipt.receiver}</Fact>
      <Fact term="Document stored">{absoluteText(receipt.receivedAt)}</Fact>
      <Fact term="Size">
        <Bytes value={receipt.documentBytes} />, of which <Bytes value={receipt.classifiedBytes} /> classified
      </Fact>
      <Fact term="Document">
        <Digest value={receipt.documentDigest} what="document's digest" />
      </Fact>
      <Fact term="Plain part">
        <Digest value={receipt.plainDigest} what="plain part's digest" />
      </Fact>
      <Fact term="Manifest">
        <Digest value={receipt.manifestDigest} what="manifest's digest" />
      </Fact>
      <Fact term="Signature">
        <Digest value={receipt.signature} what="signature" />
      </Fact>
      <Fact term="Key">
        <Digest value={receipt.key} what="key" />
      </Fact>
    </>
  );
}

function excerptOf(text: string): ReactNode {
  const { transfer_id, plain_digest, received_at } = JSON.parse(text) as Record<string, string>;
  if (!transfer_id || !plain_digest || !received_at) return null;
  return (
    <>
      <Fact term="Transfer">
        <Digest value={transfer_id} what="transfer's id" />
      </Fact>
      <Fact term="Document stored">{absoluteText(new Date(received_at))}</Fact>
      <Fact term="Plain part">
        <Digest value={plain_digest} what="plain part's digest" />
      </Fact>
    </>
  );
}
