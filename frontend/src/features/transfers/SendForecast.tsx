import type { Mode } from "@/api/transfers";
import { ChannelSplit } from "./ChannelSplit";
import { channelBytesOf } from "./channel-bytes";
import { EstimateSummary } from "./EstimateSummary";
import type { PeerPlan } from "./use-plans";

interface SendForecastProps {
  /** A plan for each gateway that is chosen; none while none is. */
  plans: readonly PeerPlan[];
  /** The gateways that do not answer. */
  down: readonly string[];
  mode: Mode;
  documents: number;
  bytes: { classified_bytes: number; plain_bytes: number };
}

/** What will most likely happen: for each gateway the estimate, and the bytes of each channel. */
export function SendForecast({ plans, down, mode, documents, bytes }: SendForecastProps) {
  if (plans.length === 0) return <ChannelSplit travel={channelBytesOf(bytes, mode)} />;
  return plans.map(({ peer, plan }) => (
    <section key={peer} aria-label={`To ${peer}`} className="flex flex-col gap-3">
      {plans.length > 1 && <h3 className="wrap-anywhere font-medium text-sm">To {peer}</h3>}
      {plan && (
        <EstimateSummary plan={plan}>
          {documents > 1 && " This is for all documents together."}
          {down.includes(peer) && ` This counts from when ${peer} is back.`}
          {mode === "auto" && plan.mode === "secure-only" && " Nothing is sent over the plain channel."}
        </EstimateSummary>
      )}
      <ChannelSplit travel={channelBytesOf(bytes, mode === "auto" && plan ? plan.mode : mode)} />
    </section>
  ));
}
