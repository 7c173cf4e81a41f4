import { t } from "@lingui/core/macro";
import { Skeleton } from "@/components/ui/Skeleton";

/** Shown while a page's code or first data loads. */
export function Loading() {
  return <Skeleton label={t`Loading`} lines={4} className="mx-auto max-w-xl py-12" />;
}
