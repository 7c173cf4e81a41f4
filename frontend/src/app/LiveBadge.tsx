import { t } from "@lingui/core/macro";
import { cx } from "@/lib/cx";
import { useLiveState } from "@/session/live";

/** Shows whether the page updates automatically. */
export function LiveBadge() {
  const state = useLiveState();
  const live = state === "live";
  return (
    <span
      role="status"
      title={live ? t`Changes appear automatically.` : t`Changes do not appear while the page is reconnecting.`}
      className="flex items-center gap-1.5 text-quiet text-xs"
    >
      {state !== "connecting" && (
        <>
          <span
            aria-hidden
            className={cx(
              "size-2 rounded-full",
              live ? "bg-ok" : "animate-pulse border-2 border-danger bg-transparent",
            )}
          />
          <span className={cx(live && "max-lg:sr-only")}>{live ? t`Live` : t`Reconnecting…`}</span>
        </>
      )}
    </span>
  );
}
