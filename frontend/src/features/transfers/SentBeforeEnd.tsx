import { t } from "@lingui/core/macro";
import type { TransferWhole } from "@/api/types";
import { CHANNEL_NAME, CHANNELS, ChannelIcon } from "@/components/channels";
import { sizeText } from "@/lib/sizes";
import { actualMode, channelBytesOf } from "./channel-bytes";

/** How much of a document had left the gateway when its transfer failed or was cancelled, on each kind of channel. */
export function SentBeforeEnd({ transfer }: { transfer: TransferWhole }) {
  const { left } = transfer;
  const whole = channelBytesOf(transfer, actualMode(transfer));
  if (left === null) {
    return (
      <p className="text-quiet text-sm">{t`It is not known how much of the document had left this gateway: an attempt was interrupted.`}</p>
    );
  }
  return (
    <ul aria-label={t`Sent before it ended`} className="flex flex-col gap-2 text-sm">
      {CHANNELS.map((channel) => (
        <li key={channel} className="flex items-start gap-2">
          <ChannelIcon channel={channel} className="mt-0.5" />
          <span>
            <span className="font-medium">{CHANNEL_NAME[channel]}:</span>{" "}
            {leftText(left[channel], Math.max(whole[channel], left[channel]))}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** "0 of 33 bytes left this gateway". Some of what left may not have arrived, so it is said as the most. */
function leftText(left: number, whole: number): string {
  if (whole === 0) return t`nothing was to be sent on it`;
  const of = sizeText(whole);
  return left === 0 ? t`0 of ${of} left this gateway` : t`up to ${sizeText(left)} of ${of} left this gateway`;
}
