import { cx } from "@/lib/cx";
import { absoluteText, relativeText } from "@/lib/times";
import { useNow } from "@/lib/use-now";

/** "5 minutes ago", with the full time as its title. `at`: ISO 8601. */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const now = useNow(10_000);
  const date = new Date(at);
  return (
    <time dateTime={at} title={absoluteText(date)} className={cx("whitespace-nowrap", className)}>
      {relativeText(date, new Date(now))}
    </time>
  );
}
