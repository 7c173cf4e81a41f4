import { Circle, Lock } from "lucide-react";
import { cx } from "@/lib/cx";

export type Channel = "secure" | "plain";

/** What the channels are called, everywhere. */
export const CHANNEL_NAME: Record<Channel, string> = { secure: "Secure channel", plain: "Plain channel" };

/** The sign of a channel: a closed lock or an open ring. It says nothing to screen readers; the word beside it does. */
export function ChannelIcon({ channel, className }: { channel: Channel; className?: string }) {
  return channel === "secure" ? (
    <Lock aria-hidden className={cx("size-4 shrink-0 text-secure", className)} />
  ) : (
    <Circle aria-hidden className={cx("size-4 shrink-0 text-plain", className)} />
  );
}
