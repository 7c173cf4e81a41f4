import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { linkQuery, redeemLink } from "@/api/one-time-links";
import { sessionQuery } from "@/api/session";
import { NewPasswordField } from "@/components/NewPasswordField";
import { goToProvider } from "@/components/sign-in/sso";
import { Button, buttonClass } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Skeleton } from "@/components/ui/Skeleton";
import { passwordRules } from "@/lib/passwords";
import { useLinkCode } from "@/session/link-code";
import { sessionBroadcast } from "@/session/session-broadcast";
import { SignedOutLayout } from "./SignedOutLayout";

/** The page of a one-time link: its person sets a password and is signed in. */
export function OneTimeLinkPage() {
  const code = useLinkCode();
  const link = useQuery(linkQuery(code));
  if (code === null) {
    return (
      <SignedOutLayout title={t`Welcome`}>
        <p className="mb-6 text-sm">
          <Trans>
            To set a password, you need a link from an admin. Open the complete link again, including everything after
            the #. For security, reloading this page discards the link.
          </Trans>
        </p>
        <Link to="/sign-in" className={buttonClass()}>
          {t`Sign in`}
        </Link>
      </SignedOutLayout>
    );
  }
  if (link.error) {
    const gone = "status" in link.error && link.error.status === 404;
    return (
      <SignedOutLayout title={t`This link does not work`}>
        <ErrorPanel problem={link.error} {...(!gone && { onRetry: () => link.refetch() })} />
        <p className="mt-4 text-quiet text-sm">{t`Each link works once and expires after a while.`}</p>
      </SignedOutLayout>
    );
  }
  if (!link.data) {
    return (
      <SignedOutLayout title={t`Welcome`}>
        <Skeleton label={t`Checking the link`} />
      </SignedOutLayout>
    );
  }
  return (
    <SignedOutLayout
      title={t`Welcome, ${{ name: link.data.display_name }}`}
      lead={t`Choose a password for this gateway.`}
    >
      <SetPassword key={code} code={code} login={link.data.name} />
    </SignedOutLayout>
  );
}

function SetPassword({ code, login }: { code: string; login: string }) {
  const [password, setPassword] = useState("");
  const { data: session } = useQuery(sessionQuery);
  const setting = useMutation({
    mutationFn: () => redeemLink(code, password),
    onSuccess: () => {
      sessionBroadcast.send();
      // A full load, so that nothing of a previously signed-in person stays in memory.
      window.location.assign("/");
    },
  });
  const sso = session?.sso ?? null;
  const withProvider = useMutation({ mutationFn: () => goToProvider("/", code) });
  const ready = passwordRules(password, login).every((rule) => rule.kept);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !setting.isPending) setting.mutate();
  };
  const other = session?.person && session.person.name !== login ? session.person : null;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-sm">
        <Trans>
          Your login is <strong className="font-semibold">{login}</strong>.
        </Trans>
      </p>
      {/* Tells password managers whose password it is. */}
      <input type="text" name="username" autoComplete="username" value={login} readOnly hidden />
      <NewPasswordField login={login} value={password} onChange={setPassword} />
      {other && (
        <p className="text-quiet text-sm">
          <Trans>{other.display_name} is signed in in this browser and will be signed out when you continue.</Trans>
        </p>
      )}
      {setting.error && <ErrorPanel problem={setting.error} />}
      <Button type="submit" tone="primary" busy={setting.isPending} disabled={!ready} className="w-full">
        {t`Set password and sign in`}
      </Button>
      {sso !== null && (
        <>
          {withProvider.error && <ErrorPanel problem={withProvider.error} />}
          <Button busy={withProvider.isPending} onClick={() => withProvider.mutate()} className="w-full">
            {t`Sign in with ${sso} instead`}
          </Button>
        </>
      )}
    </form>
  );
}
