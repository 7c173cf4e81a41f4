import { cx } from "@/lib/cx";
import { CHANNEL_NAME, CHANNEL_PROMISE, CHANNELS, ChannelIcon } from "./channels";

/** A legend of the two channels and what each guarantees. */
export function ChannelLegend({ short = false, className }: { short?: boolean; className?: string }) {
  return (
    <ul className={cx("flex flex-wrap gap-x-6 gap-y-1 text-sm", className)}>
      {CHANNELS.map((channel) => (
        <li key={channel} className="flex gap-2">
          <ChannelIcon channel={channel} className="mt-0.5" />
          <span
            aria-hidden
            className={cx(
              "mt-2.5 w-6 shrink-0 border-t-2",
              channel === "secure" ? "border-secure-edge" : "border-plain-edge border-dashed",
            )}
          />
          <span>
            {CHANNEL_NAME[channel]}
            {!short && <span className="text-quiet">: {CHANNEL_PROMISE[channel]}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
