import { t } from "@lingui/core/macro";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { isPassing, Problem } from "@/api/problem";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { PageHeader } from "@/components/ui/PageHeader";
import { useLiveState } from "@/session/live";

/** Replaces a page that failed, until the gateway answers again if that was the reason. The rest of the app keeps working. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const refused = error instanceof Problem && error.status === 403;
  const again = () => {
    reset();
    void router.invalidate();
  };
  const live = useLiveState() === "live";
  const wasLive = useRef(live);
  const loadAgain = useEffectEvent(() => {
    if (error instanceof Problem && isPassing(error.status)) again();
  });
  useEffect(() => {
    if (live && !wasLive.current) loadAgain();
    wasLive.current = live;
  }, [live]);
  return (
    <div className="mx-auto max-w-2xl py-8">
      <PageHeader title={refused ? t`You do not have access` : t`Something went wrong`} />
      <ErrorPanel problem={error} {...(!refused && { onRetry: again })} />
    </div>
  );
}
