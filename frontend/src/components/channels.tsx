import { t } from "@lingui/core/macro";
import { Circle, Lock } from "lucide-react";
import { cx } from "@/lib/cx";

export const CHANNELS = ["secure", "plain"] as const;
export type Channel = (typeof CHANNELS)[number];

/** The names of the channels. */
export const CHANNEL_NAME: Record<Channel, string> = { secure: t`Secure channel`, plain: t`Plain channel` };

/** What each channel guarantees. */
export const CHANNEL_PROMISE: Record<Channel, string> = {
  secure: t`encrypted, so nobody can read it in transit`,
  plain: t`not encrypted, so anyone can read it in transit, but nobody can change it undetected`,
};

/**
 * The icon of a channel: a closed lock or an open ring. Hidden from screen readers, because the name beside it says the
 * same.
 */
export function ChannelIcon({ channel, className }: { channel: Channel; className?: string }) {
  return channel === "secure" ? (
    <Lock aria-hidden className={cx("size-4 shrink-0 text-secure", className)} />
  ) : (
    <Circle aria-hidden className={cx("size-4 shrink-0 text-plain", className)} />
  );
}
