import { Progress } from "@base-ui/react/progress";
import { cx } from "@/lib/cx";
import { sizeText } from "@/lib/sizes";
import { CHANNEL_NAME, type Channel, ChannelIcon } from "./channels";

export interface ChannelProgressProps {
  /** Bytes sent and to send, of each channel. */
  secureSent: number;
  secureTotal: number;
  plainSent: number;
  plainTotal: number;
  /** Smaller, with the words for screen readers only: for a row of a list. */
  compact?: boolean;
  className?: string;
}

/** The two channels of a transfer, side by side, as far as each is. */
export function ChannelProgress(props: ChannelProgressProps) {
  const { secureSent, secureTotal, plainSent, plainTotal, compact = false, className } = props;
  return (
    <div className={cx("flex flex-col", compact ? "gap-1.5" : "gap-4", className)}>
      <Lane channel="secure" sent={secureSent} total={secureTotal} compact={compact} />
      <Lane channel="plain" sent={plainSent} total={plainTotal} compact={compact} />
    </div>
  );
}

function Lane({ channel, sent, total, compact }: { channel: Channel; sent: number; total: number; compact: boolean }) {
  // A channel with nothing to carry is shown empty: there is no such thing as 0 of 0.
  const told = total === 0 ? "nothing to send" : `${sizeText(sent)} of ${sizeText(total)}`;
  return (
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
}
