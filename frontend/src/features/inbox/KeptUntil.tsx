import { Hourglass } from "lucide-react";
import { cx } from "@/lib/cx";
import { useNow } from "@/lib/use-now";

const SOON_MS = 7 * 24 * 3600 * 1000;
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
const MINUTE = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** When the gateway will delete a document: in its last week highlighted and with the time. */
export function KeptUntil({ at, className }: { at: string; className?: string }) {
  const date = new Date(at);
  const soon = date.getTime() - useNow(60_000) < SOON_MS;
  return (
    <span className={cx("flex items-center gap-1.5", soon ? "text-secure" : "text-quiet", className)}>
      {soon && <Hourglass aria-hidden className="size-3.5 shrink-0" />}
      <span>
        Kept until <time dateTime={at}>{(soon ? MINUTE : DAY).format(date)}</time>
      </span>
    </span>
  );
}
