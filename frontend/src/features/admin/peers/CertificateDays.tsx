import { plural, t } from "@lingui/core/macro";
import { TriangleAlert } from "lucide-react";
import { cx } from "@/lib/cx";
import { absoluteText } from "@/lib/times";
import { useNow } from "@/lib/use-now";

const DAY_MS = 86_400_000;
/** From then on an admin should renew it. */
const WARN_DAYS = 30;

/** How many days a certificate is still valid, with a warning when it should be renewed. `until`: ISO 8601. */
export function CertificateDays({ until }: { until: string }) {
  const now = useNow(3_600_000);
  const end = new Date(until);
  const days = Math.floor((end.getTime() - now) / DAY_MS);
  const soon = days < WARN_DAYS;
  return (
    <span
      title={absoluteText(end)}
      className={cx("inline-flex items-center gap-1 whitespace-nowrap", soon && "font-medium text-danger")}
    >
      {soon && <TriangleAlert aria-hidden className="size-3.5 shrink-0" />}
      {days < 0 ? t`Expired` : plural(days, { one: "# day left", other: "# days left" })}
    </span>
  );
}
