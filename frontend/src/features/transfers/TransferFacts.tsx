import { Link } from "@tanstack/react-router";
import type { TransferWhole } from "@/api/types";
import { Bytes } from "@/components/ui/Bytes";
import { Digest } from "@/components/ui/Digest";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { absoluteText } from "@/lib/times";
import { Fact, Facts } from "./Facts";
import { isOver } from "./phase";
import { modeName } from "./words";

/** What was asked for, and when. `mine`: its author is looking. */
export function TransferFacts({ transfer, mine }: { transfer: TransferWhole; mine: boolean }) {
  const { recipients, peer, author, mode, deadline_at, created_at, draft_id, revision } = transfer;
  return (
    <Section title="What was asked">
      <Facts>
        <Fact name={recipients.length > 1 ? "Recipients" : "Recipient"}>{recipients.join(", ")}</Fact>
        <Fact name="At">{peer}</Fact>
        {!mine && <Fact name="Author">{author}</Fact>}
        <Fact name="How">{modeName(mode)}</Fact>
        <Fact name="Size">
          <Bytes value={transfer.document_bytes} />
          <span className="text-quiet">
            , <Bytes value={transfer.classified_bytes} /> of it classified
          </span>
        </Fact>
        <Fact name="Sent">
          <RelativeTime at={created_at} />
        </Fact>
        <Fact name="Deadline">
          {absoluteText(new Date(deadline_at))}
          {!isOver(transfer.state) && (
            <span className="text-quiet">
              , <RelativeTime at={deadline_at} />
            </span>
          )}
        </Fact>
        {mine && (
          <Fact name="Document">
            {draft_id ? (
              <>
                <Link to="/documents/$id" params={{ id: draft_id }}>
                  Open it
                </Link>
                <span className="text-quiet">; what was sent is its revision {revision}</span>
              </>
            ) : (
              <span className="text-quiet">No longer among your documents</span>
            )}
          </Fact>
        )}
        <Fact name="Transfer">
          <Digest value={transfer.id} what="transfer id" />
        </Fact>
      </Facts>
    </Section>
  );
}
