import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { MailCheck, StickyNote, Users } from "lucide-react";
import type { ReactNode } from "react";
import type { EntryWhole } from "@/api/types";
import { listText } from "@/lib/prose";
import { absoluteText } from "@/lib/times";

/** What came with a document: the sender's note, what it answers, who else received it, and whether opening is reported. */
export function CoverNotes({ entry }: { entry: EntryWhole }) {
  const { note, in_reply_to, other_recipients, other_recipients_left_out, read_receipts } = entry;
  if (!note && !in_reply_to && other_recipients.length === 0 && !read_receipts) return null;
  const names = other_recipients.map(({ name, gateway }) => (gateway === null ? name : t`${name} at ${gateway}`));
  if (other_recipients_left_out > 0)
    names.push(plural(other_recipients_left_out, { one: "# other person", other: "# other people" }));
  return (
    <section
      aria-label={t`From the sender`}
      className="mb-4 flex flex-col gap-3 rounded-lg bg-paper p-4 text-sm shadow-sheet"
    >
      {note && (
        <Line icon={<StickyNote aria-hidden />} term={t`Note from ${entry.sender}`}>
          <p className="wrap-anywhere max-w-prose whitespace-pre-line">{note}</p>
        </Line>
      )}
      {in_reply_to && (
        <p className="wrap-anywhere">
          {in_reply_to.id ? (
            <Trans>
              In reply to{" "}
              <Link to="/sent/$id" params={{ id: in_reply_to.id }}>
                {in_reply_to.name}
              </Link>
            </Trans>
          ) : (
            t`In reply to ${in_reply_to.name}`
          )}
        </p>
      )}
      {names.length > 0 && (
        <Line icon={<Users aria-hidden />}>
          <p className="wrap-anywhere text-quiet">{t`Also sent to ${listText(names)}`}</p>
        </Line>
      )}
      {read_receipts && (
        <Line icon={<MailCheck aria-hidden />}>
          <p className="wrap-anywhere text-quiet">{receiptText(entry)}</p>
        </Line>
      )}
    </section>
  );
}

function receiptText({ sender, opened_at }: EntryWhole): string {
  return opened_at === null
    ? t`${sender} asked to be told when you open this document.`
    : t`${sender} asked to be told when you open this document. You opened it on ${absoluteText(new Date(opened_at))}.`;
}

function Line({ icon, term, children }: { icon: ReactNode; term?: string; children: ReactNode }) {
  return (
    <div className="flex gap-3 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-quiet">
      {icon}
      <div className="min-w-0">
        {term && <h2 className="wrap-anywhere font-medium">{term}</h2>}
        {children}
      </div>
    </div>
  );
}
