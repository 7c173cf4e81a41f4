import type { PeerQueue } from "@/api/peers";
import { Definition } from "@/components/ui/DefinitionList";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { durationText } from "@/lib/durations";
import { absoluteText } from "@/lib/times";

/** How sending to a peer goes: whether it is paused, what waits for it, and when a document was delivered last. */
export function PeerQueueFacts({ queue }: { queue: PeerQueue }) {
  return (
    <>
      <Definition term="Sending">{sendingText(queue)}</Definition>
      <Definition term="Waiting">{waitingText(queue)}</Definition>
      <Definition term="Last delivered">
        {queue.last_delivered_at ? <RelativeTime at={queue.last_delivered_at} /> : "Nothing yet"}
      </Definition>
    </>
  );
}

function sendingText({ breaker_open_until, failures }: PeerQueue): string {
  if (failures === 0) return "No failures since the last success";
  const times = failures === 1 ? "1 failure" : `${failures.toLocaleString("en")} failures in a row`;
  return breaker_open_until ? `Paused until ${absoluteText(new Date(breaker_open_until))}, after ${times}` : times;
}

function waitingText({ waiting, oldest_waiting_s }: PeerQueue): string {
  if (waiting === 0) return "No documents";
  const documents = waiting === 1 ? "1 document" : `${waiting.toLocaleString("en")} documents`;
  return oldest_waiting_s === null
    ? documents
    : `${documents}, the oldest for ${durationText(oldest_waiting_s * 1000)}`;
}
