import { Progress } from "@base-ui/react/progress";
import type { ChannelShown } from "@/api/types";
import { cx } from "@/lib/cx";
import { sizeText } from "@/lib/sizes";
import { CHANNEL_NAME, type Channel, ChannelIcon } from "./channels";

export interface ChannelProgressProps {
  /** Bytes sent and to send, of each channel. */
  secureSent: number;
  secureTotal: number;
  plainSent: number;
  plainTotal: number;
  /** Each channel by itself: shown where there are several of a kind. */
  channels?: readonly ChannelShown[];
  /** Smaller, with the words for screen readers only: for a row of a list. */
  compact?: boolean;
  className?: string;
}

/** The two channels of a transfer, side by side, as far as each is. */
export function ChannelProgress(props: ChannelProgressProps) {
  const { secureSent, secureTotal, plainSent, plainTotal, channels = [], compact = false, className } = props;
  const several = (kind: Channel) => {
    const own = channels.filter((channel) => channel.kind === kind);
    return own.length > 1 ? own : [];
  };
  return (
    <div className={cx("flex flex-col", compact ? "gap-1.5" : "gap-4", className)}>
      <Lane channel="secure" sent={secureSent} total={secureTotal} compact={compact} each={several("secure")} />
      <Lane channel="plain" sent={plainSent} total={plainTotal} compact={compact} each={several("plain")} />
    </div>
  );
}

interface LaneProps {
  channel: Channel;
  sent: number;
  total: number;
  compact: boolean;
  each: readonly ChannelShown[];
}

function Lane({ channel, sent, total, compact, each }: LaneProps) {
  // A channel with nothing to carry is shown empty: there is no such thing as 0 of 0.
  const told = total === 0 ? "nothing to send" : `${sizeText(sent)} of ${sizeText(total)}`;
  const whole = (
    <Progress.Root
      value={total === 0 ? 0 : Math.min(sent, total)}
      max={Math.max(total, 1)}
      getAriaValueText={() => told}
      className={compact ? "flex items-center gap-2" : "grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.5 text-sm"}
    >
      <Progress.Label className={cx("flex items-center gap-2", compact && "sr-only")}>
        <ChannelIcon channel={channel} />
        {CHANNEL_NAME[channel]}
      </Progress.Label>
      {compact ? <ChannelIcon channel={channel} className="size-3" /> : <span className="text-quiet">{told}</span>}
      <Progress.Track
        className={cx(
          "overflow-hidden rounded-sm",
          compact ? "h-1.5 flex-1" : "col-span-2 h-3",
          channel === "secure" ? "track-secure" : "track-plain",
        )}
      >
        <Progress.Indicator
          className={cx(
            "h-full transition-[width] duration-300 ease-out",
            channel === "secure" ? "bar-secure" : "bar-plain",
          )}
        />
      </Progress.Track>
    </Progress.Root>
  );
  if (compact || each.length === 0) return whole;
  return (
    <div className="flex flex-col gap-2">
      {whole}
      <ul
        aria-label={`Each ${CHANNEL_NAME[channel].toLowerCase()}`}
        className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-4 gap-y-2"
      >
        {each.map((one) => (
          <li key={one.number}>
            <One channel={channel} {...one} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One of several channels of a kind. */
function One({ channel, number, sent, total }: Omit<ChannelShown, "kind"> & { channel: Channel }) {
  return (
    <Progress.Root
      value={Math.min(sent, total)}
      max={Math.max(total, 1)}
      getAriaValueText={() => `${sizeText(sent)} of ${sizeText(total)}`}
      className="flex items-center gap-2 text-quiet text-xs"
    >
      <Progress.Label>
        <span className="sr-only">{CHANNEL_NAME[channel]} </span>
        {(number + 1).toLocaleString("en")}
      </Progress.Label>
      <Progress.Track
        className={cx("h-1.5 flex-1 overflow-hidden rounded-sm", channel === "secure" ? "track-secure" : "track-plain")}
      >
        <Progress.Indicator
          className={cx(
            "h-full transition-[width] duration-300 ease-out",
            channel === "secure" ? "bar-secure" : "bar-plain",
          )}
        />
      </Progress.Track>
    </Progress.Root>
  );
}
