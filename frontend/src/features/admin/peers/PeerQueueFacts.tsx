import { plural, t } from "@lingui/core/macro";
import type { PeerQueue } from "@/api/peers";
import { Definition } from "@/components/ui/DefinitionList";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { durationText } from "@/lib/durations";
import { absoluteText } from "@/lib/times";

/** How sending to a peer goes: whether it is paused, what waits for it, and when a document was delivered last. */
export function PeerQueueFacts({ queue }: { queue: PeerQueue }) {
  return (
    <>
      <Definition term={t({ context: "activity", message: "Sending" })}>{sendingText(queue)}</Definition>
      <Definition term={t`Waiting`}>{waitingText(queue)}</Definition>
      <Definition term={t`Last delivered`}>
        {queue.last_delivered_at ? <RelativeTime at={queue.last_delivered_at} /> : t`Nothing yet`}
      </Definition>
    </>
  );
}

function sendingText({ breaker_open_until, failures }: PeerQueue): string {
  if (failures === 0) return t`No failures since the last success`;
  if (!breaker_open_until) return plural(failures, { one: "# failure", other: "# failures in a row" });
  const until = absoluteText(new Date(breaker_open_until));
  return plural(failures, {
    one: `Paused until ${until}, after # failure`,
    other: `Paused until ${until}, after # failures in a row`,
  });
}

function waitingText({ waiting, oldest_waiting_s }: PeerQueue): string {
  if (waiting === 0) return t`No documents`;
  if (oldest_waiting_s === null) return plural(waiting, { one: "# document", other: "# documents" });
  const age = durationText(oldest_waiting_s * 1000);
  return plural(waiting, { one: `# document, the oldest for ${age}`, other: `# documents, the oldest for ${age}` });
}
