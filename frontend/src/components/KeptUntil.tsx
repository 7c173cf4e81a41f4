import { Trans } from "@lingui/react/macro";
import { Hourglass } from "lucide-react";
import { cx } from "@/lib/cx";
import { dateText, minuteText } from "@/lib/times";
import { useNow } from "@/lib/use-now";

const SOON_MS = 7 * 24 * 3600 * 1000;

/** When the gateway will delete a document: in its last week highlighted and with the time. */
export function KeptUntil({ at, className }: { at: string; className?: string }) {
  const date = new Date(at);
  const soon = date.getTime() - useNow(60_000) < SOON_MS;
  return (
    <span className={cx("flex items-center gap-1.5", soon ? "text-secure" : "text-quiet", className)}>
      {soon && <Hourglass aria-hidden className="size-3.5 shrink-0" />}
      <span>
        <Trans>
          Kept until <time dateTime={at}>{soon ? minuteText(date) : dateText(date)}</time>
        </Trans>
      </span>
    </span>
  );
}
