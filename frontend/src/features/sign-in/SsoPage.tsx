import { t } from "@lingui/core/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { sessionQuery } from "@/api/session";
import { beginSso, finishSso, type SsoReturned } from "@/api/sso";
import { takeDestination } from "@/components/sign-in/sso";
import { buttonClass } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { sessionBroadcast } from "@/session/session-broadcast";
import { returnPath } from "./return-path";
import { SignedOutLayout } from "./SignedOutLayout";

/** The page to which the provider leads the browser back. With `?begin=`, it leads the browser there first. */
export function SsoPage() {
  // The address holds a code that counts once: it is read once, and removed.
  const [asked] = useState(() => new URLSearchParams(window.location.search));
  const client = useQueryClient();
  const router = useRouter();
  const begin = asked.get("begin");
  const step = useQuery({
    queryKey: ["sso-return", asked.get("state"), begin],
    queryFn: async () => {
      if (begin === null) return finishSso(returnedOf(asked));
      window.location.replace(await beginSso(begin === "confirmation" ? "confirmation" : "sign-in"));
      return null;
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const done = step.data;
  useEffect(() => window.history.replaceState(null, "", window.location.pathname), []);
  useEffect(() => {
    if (!done) return;
    client.setQueryData(sessionQuery.queryKey, done.session);
    sessionBroadcast.send();
    if (done.purpose === "confirmation") return;
    const to = returnPath(takeDestination());
    if (done.session.person) router.history.replace(to);
    else void router.navigate({ to: "/sign-in", search: { to }, replace: true });
  }, [done, client, router]);
  if (step.error) {
    return (
      <SignedOutLayout title={t`You are not signed in`}>
        <ErrorPanel problem={step.error} className="mb-6" />
        <Link to="/sign-in" className={buttonClass()}>
          {t`Back to sign-in`}
        </Link>
      </SignedOutLayout>
    );
  }
  if (done?.purpose === "confirmation") {
    return (
      <SignedOutLayout title={t`Confirmed`}>
        <p className="text-sm">{t`Close this tab and continue on the page that asked you.`}</p>
      </SignedOutLayout>
    );
  }
  return (
    <SignedOutLayout title={t`Sign in`}>
      <Skeleton label={t`Signing in`} />
    </SignedOutLayout>
  );
}

function returnedOf(asked: URLSearchParams): SsoReturned {
  return {
    state: asked.get("state") ?? "",
    code: asked.get("code"),
    error: asked.get("error")?.slice(0, 200) ?? null,
    iss: asked.get("iss"),
  };
}
