import { Progress } from "@base-ui/react/progress";
import { t } from "@lingui/core/macro";
import type { ChannelShown, ProgressShown } from "@/api/types";
import { cx } from "@/lib/cx";
import { numberText } from "@/lib/numbers";
import { sizeText } from "@/lib/sizes";
import { CHANNEL_NAME, CHANNELS, type Channel, ChannelIcon } from "./channels";

interface ChannelProgressProps {
  /** Bytes sent and to send over each kind of channel, and over each channel where there are several of a kind. */
  progress: Pick<ProgressShown, "secure_sent" | "secure_total" | "plain_sent" | "plain_total" | "channels">;
  /** Smaller, with the words for screen readers only: for a row of a list. */
  compact?: boolean;
  className?: string;
}

/** The progress of a transfer on each kind of channel. */
export function ChannelProgress({ progress, compact = false, className }: ChannelProgressProps) {
  return (
    <div className={cx("flex flex-col", compact ? "gap-1.5" : "gap-4", className)}>
      {CHANNELS.map((kind) => (
        <Lane
          key={kind}
          channel={kind}
          sent={progress[`${kind}_sent`]}
          total={progress[`${kind}_total`]}
          compact={compact}
          each={compact ? [] : progress.channels.filter((channel) => channel.kind === kind)}
        />
      ))}
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
  // A channel with nothing to send gets an empty bar and words instead of "0 of 0".
  const text = total === 0 ? t`nothing to send` : progressText(sent, total);
  return (
    <div className="flex flex-col gap-2">
      <Progress.Root
        value={total === 0 ? 0 : Math.min(sent, total)}
        max={Math.max(total, 1)}
        getAriaValueText={() => text}
        className={compact ? "flex items-center gap-2" : "grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.5 text-sm"}
      >
        <Progress.Label className={cx("flex items-center gap-2", compact && "sr-only")}>
          <ChannelIcon channel={channel} />
          {CHANNEL_NAME[channel]}
        </Progress.Label>
        {compact ? <ChannelIcon channel={channel} className="size-3" /> : <span className="text-quiet">{text}</span>}
        <Track channel={channel} className={compact ? "h-1.5 flex-1" : "col-span-2 h-3"} />
      </Progress.Root>
      {each.length > 1 && (
        <ul
          aria-label={channel === "secure" ? t`Each secure channel` : t`Each plain channel`}
          className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-x-4 gap-y-2"
        >
          {each.map((one) => (
            <li key={one.number}>
              <One {...one} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function progressText(sent: number, total: number): string {
  const [sentText, totalText] = [sizeText(sent), sizeText(total)];
  return t`${sentText} of ${totalText}`;
}

/** One of several channels of a kind. */
function One({ kind, number, sent, total }: ChannelShown) {
  return (
    <Progress.Root
      value={Math.min(sent, total)}
      max={Math.max(total, 1)}
      getAriaValueText={() => progressText(sent, total)}
      className="flex items-center gap-2 text-quiet text-xs"
    >
      <Progress.Label>
        <span className="sr-only">{CHANNEL_NAME[kind]} </span>
        {numberText(number + 1)}
      </Progress.Label>
      <Track channel={kind} className="h-1.5 flex-1" />
    </Progress.Root>
  );
}

function Track({ channel, className }: { channel: Channel; className: string }) {
  const secure = channel === "secure";
  return (
    <Progress.Track className={cx("overflow-hidden rounded-sm", className, secure ? "track-secure" : "track-plain")}>
      <Progress.Indicator
        className={cx("h-full transition-[width] duration-300 ease-out", secure ? "bar-secure" : "bar-plain")}
      />
    </Progress.Track>
  );
}
