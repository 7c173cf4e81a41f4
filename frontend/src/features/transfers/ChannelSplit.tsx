import { t } from "@lingui/core/macro";
import { CHANNEL_NAME, CHANNEL_PROMISE, CHANNELS, ChannelIcon } from "@/components/channels";
import { ShareBar } from "@/components/ShareBar";
import { Bytes } from "@/components/ui/Bytes";
import { percentText } from "@/lib/percent";
import type { ChannelBytes } from "./channel-bytes";

/**
 * The bytes of each channel: a bar in true proportion, and for each channel its size, its share and what it guarantees.
 */
export function ChannelSplit({ travel }: { travel: ChannelBytes }) {
  const whole = travel.secure + travel.plain;
  return (
    <div className="flex flex-col gap-3">
      <ShareBar secure={whole === 0 ? null : travel.secure / whole} className="h-3" />
      <dl className="flex flex-col gap-2 text-sm">
        {CHANNELS.map((channel) => (
          <div key={channel} className="grid grid-cols-[auto_1fr_auto] gap-x-2">
            <ChannelIcon channel={channel} className="mt-0.5" />
            <dt className="font-medium">{CHANNEL_NAME[channel]}</dt>
            <dd className="text-right">
              {travel[channel] === 0 ? (
                t`Nothing`
              ) : (
                <>
                  <Bytes value={travel[channel]} />
                  <span className="text-quiet">, {percentText(travel[channel] / whole)}</span>
                </>
              )}
            </dd>
            {travel[channel] > 0 && <dd className="col-span-2 col-start-2 text-quiet">{CHANNEL_PROMISE[channel]}</dd>}
          </div>
        ))}
      </dl>
    </div>
  );
}
