import { plural, t } from "@lingui/core/macro";
import type { Mode } from "@/api/transfers";
import { Button } from "@/components/ui/Button";
import { sizeText } from "@/lib/sizes";
import { ChannelSplit } from "./ChannelSplit";
import { channelBytesOf } from "./channel-bytes";
import { EstimateSummary } from "./EstimateSummary";
import type { PeerPlan } from "./use-plans";

interface SendForecastProps {
  /** A plan for each gateway that is chosen; none while none is. */
  plans: readonly PeerPlan[];
  /** This gateway, if it can be sent to. */
  own: string | null;
  /** The gateways that do not answer. */
  down: readonly string[];
  mode: Mode;
  documents: number;
  bytes: { classified_bytes: number; plain_bytes: number };
  onMode: (mode: Mode) => void;
}

/** What will most likely happen: for each gateway the estimate, and the bytes of each channel. */
export function SendForecast({ plans, own, down, mode, documents, bytes, onMode }: SendForecastProps) {
  if (plans.length === 0) return <ChannelSplit travel={channelBytesOf(bytes, mode)} />;
  const others = plans.filter(({ peer }) => peer !== own);
  const onlySecure = mode === "auto" && others.length > 0 && others.every(({ plan }) => plan?.mode === "secure-only");
  // The secure channel is chosen for speed alone, unless the plain channel failed.
  const mayUseBoth =
    onlySecure &&
    bytes.classified_bytes > 0 &&
    bytes.plain_bytes > 0 &&
    others.every(({ plan }) => plan?.estimate.reason !== "plain-failed");
  const shown = plans.map(({ peer, plan }) => (
    <section key={peer} aria-label={toText(peer, own)} className="flex flex-col gap-3">
      {plans.length > 1 && <h3 className="wrap-anywhere font-medium text-sm">{toText(peer, own)}</h3>}
      {plan && (
        <EstimateSummary plan={plan}>
          {documents > 1 && ` ${t`This is for all documents together.`}`}
          {down.includes(peer) && ` ${t`This counts from when ${peer} is back.`}`}
          {peer === own &&
            ` ${plural(documents, { one: "The document stays inside this gateway.", other: "The documents stay inside this gateway." })}`}
          {(peer === own || (mode === "auto" && plan.mode === "secure-only")) &&
            ` ${t`Nothing is sent over the plain channel.`}`}
        </EstimateSummary>
      )}
      <ChannelSplit travel={channelBytesOf(bytes, modeTo(peer, own, mode === "auto" && plan ? plan.mode : mode))} />
    </section>
  ));
  return (
    <>
      {shown}
      {mayUseBoth && (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-sunken px-4 py-3 text-sm">
          <p className="min-w-0 flex-1 basis-64">{t`With both channels, only the classified part (${sizeText(bytes.classified_bytes)}) is encrypted. Anyone on the network can read the rest (${sizeText(bytes.plain_bytes)}).`}</p>
          <Button size="sm" onClick={() => onMode("sieve")}>{t`Use both channels`}</Button>
        </div>
      )}
    </>
  );
}

const toText = (peer: string, own: string | null) => (peer === own ? t`To people at this gateway` : t`To ${peer}`);

/** The mode in which documents go to a gateway: within this one, over the secure channel alone. */
function modeTo(peer: string, own: string | null, mode: string): string {
  return peer === own ? "secure-only" : mode;
}
