import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { saidText } from "@/api/sentence-text";
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

/** The names of seals, as the field writes them. */
// not a text
const SEALS: Readonly<Record<string, string>> = {
  "aes-256-gcm": "AES-256-GMAC",
  "chacha20-poly1305": "ChaCha20-Poly1305",
};

/** The group of a key exchange that a later quantum computer does not break. */
// not a text
const HYBRID = "X25519MLKEM768";

/** The details of a transfer. `mine`: the reader is its author. */
export function TransferFacts({ transfer, mine }: TransferFactsProps) {
  const { recipient_names, peer, author_name, mode, plan, deadline_at, created_at, draft_id, revision } = transfer;
  return (
    <Section title={t`Details`}>
      <DefinitionList>
        <Definition term={recipient_names.length > 1 ? t`Recipients` : t`Recipient`}>
          {recipient_names.join(", ")}
        </Definition>
        <Definition term={t`Gateway`}>{peer}</Definition>
        {!mine && <Definition term={t`Author`}>{author_name}</Definition>}
        <Definition term={t`Sent over`}>
          {modeName(actualMode(transfer))}
          {mode === "auto" && plan.mode !== "auto" && <span className="text-quiet">{t`, chosen automatically`}</span>}
          {(plan.secure_channels > 1 || plan.plain_channels > 1) && (
            <span className="block text-quiet">
              {plan.plain_channels > 0
                ? t`${plural(plan.secure_channels, { one: "# secure", other: "# secure" })} and ${plan.plain_channels} plain`
                : plural(plan.secure_channels, { one: "# secure", other: "# secure" })}
            </span>
          )}
          {plan.note && (
            <span className="wrap-anywhere block text-quiet">{sentence(saidText(plan.note_said, plan.note))}</span>
          )}
        </Definition>
        {transfer.note !== null && (
          <Definition term={t`Note`}>
            <span className="wrap-anywhere whitespace-pre-line">{transfer.note}</span>
          </Definition>
        )}
        {transfer.in_reply_to && (
          <Definition term={t`In reply to`}>
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
          <Definition term={transfer.replies.length > 1 ? t`Replies` : t`Reply`}>
            <Replies replies={transfer.replies} />
          </Definition>
        )}
        {transfer.opened && (
          <Definition term={t`Opened by`}>
            <OpenedBy opened={transfer.opened} />
          </Definition>
        )}
        {plan.estimate && (
          <Definition term={t`Estimate`}>
            <EstimateSummary plan={{ ...plan, estimate: plan.estimate }} />
          </Definition>
        )}
        {plan.cipher && <Definition term={t`Encrypted with`}>{plan.cipher}</Definition>}
        {plan.key_exchange && (
          <Definition term={t`Key exchange`}>
            {plan.key_exchange}
            {plan.key_exchange === HYBRID && <span className="text-quiet">{t`, post-quantum hybrid`}</span>}
          </Definition>
        )}
        {plan.seal && <Definition term={t`Plain channel sealed with`}>{SEALS[plan.seal] ?? plan.seal}</Definition>}
        <Definition term={t`Size`}>
          <Trans>
            <Bytes value={transfer.document_bytes} />
            <span className="text-quiet">
              , <Bytes value={transfer.classified_bytes} /> classified
            </span>
          </Trans>
        </Definition>
        {(transfer.redacted_bytes !== null || transfer.redacted_note !== null) && (
          <Definition term={t`Redacted edition`}>
            {transfer.redacted_bytes !== null && <Bytes value={transfer.redacted_bytes} />}
            {transfer.redacted_note !== null && sentence(transfer.redacted_note)}
          </Definition>
        )}
        <Definition term={t({ context: "time", message: "Sent" })}>
          <RelativeTime at={created_at} />
          {plan.batch !== null && <span className="text-quiet">, {withOthers(plan.batch)}</span>}
        </Definition>
        <Definition term={t`Deadline`}>
          {absoluteText(new Date(deadline_at))}
          {!isOver(transfer.state) && (
            <span className="text-quiet">
              , <RelativeTime at={deadline_at} />
            </span>
          )}
        </Definition>
        {mine && (
          <Definition term={t`Document`}>
            {transfer.document_deleted_at !== null ? (
              <span className="text-quiet">{t`${transfer.name}, which you deleted on ${absoluteText(new Date(transfer.document_deleted_at))}`}</span>
            ) : (
              <span className="flex flex-wrap gap-x-4 gap-y-1">
                <Link
                  to="/sent/$id/document"
                  params={{ id: transfer.id }}
                  className="py-0.5"
                >{t`Show what was sent`}</Link>
                {draft_id && (
                  <Link to="/documents/$id" params={{ id: draft_id }} className="py-0.5">{t`Open document`}</Link>
                )}
                {draft_id && <span className="text-quiet">{t`Sent as version ${revision ?? 0}`}</span>}
              </span>
            )}
          </Definition>
        )}
        <Definition term={t`Transfer ID`}>
          <Digest value={transfer.id} what={t`transfer ID`} />
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
          <span className="text-quiet">, {at === null ? t`not yet` : <RelativeTime at={at} />}</span>
        </li>
      ))}
    </ul>
  );
}
