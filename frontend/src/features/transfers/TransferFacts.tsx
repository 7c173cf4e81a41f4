import { Link } from "@tanstack/react-router";
import type { TransferWhole } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { Definition, DefinitionList } from "@/components/ui/DefinitionList";
import { Digest } from "@/components/ui/Digest";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { modeName } from "@/features/transfers/modes";
import { sentence, withOthers } from "@/lib/prose";
import { absoluteText } from "@/lib/times";
import { actualMode } from "./channel-bytes";
import { EstimateSummary } from "./EstimateSummary";
import { isOver } from "./phase";

interface TransferFactsProps {
  transfer: TransferWhole;
  mine: boolean;
}

/** The details of a transfer. `mine`: the reader is its author. */
export function TransferFacts({ transfer, mine }: TransferFactsProps) {
  const { recipient_names, peer, author_name, mode, plan, deadline_at, created_at, draft_id, revision } = transfer;
  return (
    <Section title="Details">
      <DefinitionList>
        <Definition term={recipient_names.length > 1 ? "Recipients" : "Recipient"}>
          {recipient_names.join(", ")}
        </Definition>
        <Definition term="Gateway">{peer}</Definition>
        {!mine && <Definition term="Author">{author_name}</Definition>}
        <Definition term="Sent over">
          {modeName(actualMode(transfer))}
          {mode === "auto" && plan.mode !== "auto" && <span className="text-quiet">, chosen automatically</span>}
          {(plan.secure_channels > 1 || plan.plain_channels > 1) && (
            <span className="block text-quiet">
              {plan.secure_channels} secure{plan.plain_channels > 0 && ` and ${plan.plain_channels} plain`}
            </span>
          )}
          {plan.note && <span className="wrap-anywhere block text-quiet">{sentence(plan.note)}</span>}
        </Definition>
        {transfer.note !== null && (
          <Definition term="Note">
            <span className="wrap-anywhere whitespace-pre-line">{transfer.note}</span>
          </Definition>
        )}
        {transfer.in_reply_to && (
          <Definition term="In reply to">
            {transfer.in_reply_to.id ? (
              <Link to="/inbox/$id" params={{ id: transfer.in_reply_to.id }} className="py-0.5">
                {transfer.in_reply_to.name}
              </Link>
            ) : (
              transfer.in_reply_to.name
            )}
          </Definition>
        )}
        {transfer.replies.length > 0 && (
          <Definition term={transfer.replies.length > 1 ? "Replies" : "Reply"}>
            <Replies replies={transfer.replies} />
          </Definition>
        )}
        {transfer.opened && (
          <Definition term="Opened by">
            <OpenedBy opened={transfer.opened} />
          </Definition>
        )}
        {plan.estimate && (
          <Definition term="Estimate">
            <EstimateSummary plan={{ ...plan, estimate: plan.estimate }} />
          </Definition>
        )}
        {plan.cipher && <Definition term="Encrypted with">{plan.cipher}</Definition>}
        <Definition term="Size">
          <Bytes value={transfer.document_bytes} />
          <span className="text-quiet">
            , <Bytes value={transfer.classified_bytes} /> classified
          </span>
        </Definition>
        {(transfer.redacted_bytes !== null || transfer.redacted_note !== null) && (
          <Definition term="Redacted edition">
            {transfer.redacted_bytes !== null && <Bytes value={transfer.redacted_bytes} />}
            {transfer.redacted_note !== null && sentence(transfer.redacted_note)}
          </Definition>
        )}
        <Definition term="Sent">
          <RelativeTime at={created_at} />
          {plan.batch !== null && <span className="text-quiet">, {withOthers(plan.batch)}</span>}
        </Definition>
        <Definition term="Deadline">
          {absoluteText(new Date(deadline_at))}
          {!isOver(transfer.state) && (
            <span className="text-quiet">
              , <RelativeTime at={deadline_at} />
            </span>
          )}
        </Definition>
        {mine && (
          <Definition term="Document">
            {transfer.document_deleted_at !== null ? (
              <span className="text-quiet">
                {transfer.name}, which you deleted on {absoluteText(new Date(transfer.document_deleted_at))}
              </span>
            ) : (
              <span className="flex flex-wrap gap-x-4 gap-y-1">
                <Link to="/sent/$id/document" params={{ id: transfer.id }} className="py-0.5">
                  Show what was sent
                </Link>
                {draft_id && (
                  <Link to="/documents/$id" params={{ id: draft_id }} className="py-0.5">
                    Open document
                  </Link>
                )}
                {draft_id && <span className="text-quiet">Sent as version {revision}</span>}
              </span>
            )}
          </Definition>
        )}
        <Definition term="Transfer ID">
          <Digest value={transfer.id} what="transfer ID" />
        </Definition>
      </DefinitionList>
    </Section>
  );
}

/** The documents in the author's inbox that answer this one. */
function Replies({ replies }: { replies: TransferWhole["replies"] }) {
  return (
    <ul>
      {replies.map(({ id, name, sender, received_at }) => (
        <li key={id} className="wrap-anywhere">
          <Link to="/inbox/$id" params={{ id }} className="py-0.5">
            {name}
          </Link>
          <span className="text-quiet">
            , {sender}, <RelativeTime at={received_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Who opened the document when, as their gateway reported it. */
function OpenedBy({ opened }: { opened: NonNullable<TransferWhole["opened"]> }) {
  return (
    <ul>
      {opened.map(({ name, at }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two people may have the same name, and the order is fixed
        <li key={index}>
          {name}
          <span className="text-quiet">, {at === null ? "not yet" : <RelativeTime at={at} />}</span>
        </li>
      ))}
    </ul>
  );
}
