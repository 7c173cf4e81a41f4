import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { entryReceiptQuery, entryReceiptUrl } from "@/api/inbox";
import type { EntryShown } from "@/api/types";
import { WhatIsThis } from "@/components/help/WhatIsThis";
import { Loaded } from "@/components/ui/Loaded";
import { Section } from "@/components/ui/Section";
import { ReceiptDetails } from "@/features/receipts/ReceiptDetails";
import { isWhole } from "./entry";
import { Verification } from "./Verification";

/** The receipt: a button that verifies it, its fields, and its download. */
export function ReceiptSection({ entry }: { entry: EntryShown }) {
  const [open, setOpen] = useState(false);
  const whole = isWhole(entry);
  return (
    <Section
      title={t`Receipt`}
      help={<WhatIsThis term="receipt" />}
      lead={
        whole
          ? t`This gateway’s signed receipt to the sender for this exact document.`
          : t`You can see an excerpt of the receipt and verify the plain part.`
      }
    >
      <Verification id={entry.id} whole={whole} />
      <details className="text-sm" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="tap cursor-pointer py-1 font-medium">{t`Show receipt`}</summary>
        {open && <Details id={entry.id} whole={whole} />}
      </details>
      <a
        href={entryReceiptUrl(entry.id)}
        download={`${entry.transfer_id}.${whole ? "receipt" : "receipt-excerpt"}.json`}
        className="tap inline-flex min-h-6 items-center gap-2 self-start font-medium text-sm"
      >
        <Download aria-hidden className="size-4 shrink-0 text-quiet" />
        {whole ? t`Download receipt` : t`Download excerpt`}
      </a>
    </Section>
  );
}

function Details({ id, whole }: { id: string; whole: boolean }) {
  const receipt = useQuery(entryReceiptQuery(id, whole));
  return (
    <Loaded query={receipt} what={t`the receipt`}>
      {(text) => <ReceiptDetails text={text} whole={whole} />}
    </Loaded>
  );
}
