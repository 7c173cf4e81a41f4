import { t } from "@lingui/core/macro";
import { durationText } from "@/lib/durations";
import { absoluteText } from "@/lib/times";
import { useNow } from "@/lib/use-now";

/** "in 12 s", counted down, then `due`. `at`: ISO 8601. */
export function Countdown({ at, due }: { at: string; due: string }) {
  const now = useNow(1000);
  const date = new Date(at);
  const seconds = Math.ceil((date.getTime() - now) / 1000);
  return (
    <time dateTime={at} title={absoluteText(date)}>
      {seconds > 0 ? t`in ${durationText(seconds * 1000)}` : due}
    </time>
  );
}
