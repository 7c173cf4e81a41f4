import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { sessionQuery } from "@/api/session";
import type { SessionShown } from "@/api/types";
import { SignInForm } from "@/components/sign-in/SignInForm";
import { CopyButton } from "@/components/ui/CopyButton";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { sessionBroadcast } from "@/session/session-broadcast";
import { returnPath } from "./return-path";
import { SignedOutLayout } from "./SignedOutLayout";

const route = getRouteApi("/sign-in");

/** Signs a person in and returns to the page that they wanted. */
export function SignInPage() {
  const session = useQuery(sessionQuery);
  const client = useQueryClient();
  const router = useRouter();
  const to = returnPath(route.useSearch().to);
  const enter = (signedIn: SessionShown) => {
    client.setQueryData(sessionQuery.queryKey, signedIn);
    sessionBroadcast.send();
    router.history.replace(to);
  };
  return (
    <SignedOutLayout title={t`Sign in`}>
      {session.error && <ErrorPanel problem={session.error} onRetry={() => session.refetch()} className="mb-6" />}
      {session.data?.needs_admin ? <NeedsAdmin /> : <SignInForm onSignedIn={enter} to={to} />}
    </SignedOutLayout>
  );
}

// not a text
const COMMAND = "sieve admin create";

function NeedsAdmin() {
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p>
        <Trans>
          This gateway has no admin yet. To create one, run this command on the gateway’s machine, then open the link it
          prints:
        </Trans>
      </p>
      <div className="flex items-center justify-between gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
        <code className="font-mono">{COMMAND}</code>
        <CopyButton text={COMMAND} what={t`command`} />
      </div>
    </div>
  );
}
