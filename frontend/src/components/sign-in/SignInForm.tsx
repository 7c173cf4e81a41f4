import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Building2, Fingerprint } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { hasPasskeys } from "@/api/passkeys";
import { Problem } from "@/api/problem";
import { finishSignIn, type NextStep, sessionQuery, signIn, signInWithPasskey, signOut } from "@/api/session";
import type { SessionShown } from "@/api/types";
import { durationText } from "@/lib/durations";
import { useCountdown } from "@/lib/use-countdown";
import { FirstFactor } from "../factors/FirstFactor";
import { PasswordInput } from "../PasswordInput";
import { Button } from "../ui/Button";
import { ErrorPanel } from "../ui/ErrorPanel";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { ProofForm } from "./ProofForm";
import { goToProvider, openProvider } from "./sso";

interface SignInFormProps {
  /** The login that the field contains at first. */
  name?: string;
  /** A note, and the button's text, for the login that was typed. */
  about?: (name: string) => { note: ReactNode; confirm: string } | null;
  onSignedIn: (session: SessionShown) => void;
  /** Where the person goes after signing in with the provider; without it, the provider opens in a new tab. */
  to?: string;
}

/** Signs a person in: by password and, if needed, a second step, or by passkey. */
export function SignInForm(props: SignInFormProps) {
  const client = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  // undefined: nothing was done here yet. Then a sign-in that was begun before, such as by a one-time link, continues.
  const [step, setStep] = useState<NextStep | null | undefined>(undefined);
  if (step === undefined && session?.next_step) setStep(session.next_step);
  const enter = (now: SessionShown) => (now.next_step ? setStep(now.next_step) : props.onSignedIn(now));
  const startAgain = useMutation({
    mutationFn: signOut,
    onSettled: () => {
      setStep(null);
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  if (!step)
    return (
      <PasswordForm {...props} passkeys={session?.passkeys ?? false} sso={session?.sso ?? null} onSignedIn={enter} />
    );
  const login = step.name;
  const again = (
    <Button busy={startAgain.isPending} onClick={() => startAgain.mutate()}>
      {t`Start again`}
    </Button>
  );
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm">
        <Trans>
          Your login is <strong className="font-semibold">{login}</strong>.
        </Trans>
      </p>
      {step.needs === "factor" ? (
        <>
          <ProofForm methods={step.methods} confirm={t`Sign in`} give={finishSignIn} onGiven={enter} />
          {again}
        </>
      ) : (
        <FirstFactor onSignedIn={enter} startAgain={again} />
      )}
    </div>
  );
}

/** Asks for login and password. After too many attempts it counts down the required wait. */
function PasswordForm({
  name: first = "",
  about,
  onSignedIn,
  passkeys,
  sso,
  to,
}: SignInFormProps & { passkeys: boolean; sso: string | null }) {
  const [name, setName] = useState(first);
  const [password, setPassword] = useState("");
  const [waitS, wait] = useCountdown();
  const afterError = (error: Error) => {
    setPassword("");
    if (error instanceof Problem && error.status === 429) wait(error.retryAfterS ?? 30);
  };
  const signing = useMutation({
    mutationFn: () => signIn(name.trim(), password),
    onSuccess: onSignedIn,
    onError: afterError,
  });
  const withPasskey = useMutation({ mutationFn: signInWithPasskey, onSuccess: onSignedIn, onError: afterError });
  const withProvider = useMutation({
    mutationFn: async () => (to === undefined ? openProvider("sign-in") : goToProvider(to)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    withPasskey.reset();
    withProvider.reset();
    if (waitS === 0 && !signing.isPending) signing.mutate();
  };
  const special = about?.(name.trim().toLowerCase()) ?? null;
  const error = signing.error ?? withPasskey.error ?? withProvider.error;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label={t`Login`}>
        <Input
          name="username"
          autoComplete="username"
          autoCapitalize="off"
          spellCheck={false}
          required
          autoFocus={!first}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label={t`Password`}>
        <PasswordInput
          name="password"
          autoComplete="current-password"
          required
          autoFocus={Boolean(first)}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {error && !(error instanceof Problem && error.status === 429 && waitS === 0) && <ErrorPanel problem={error} />}
      {special?.note}
      <Button type="submit" tone="primary" busy={signing.isPending} disabled={waitS > 0} className="w-full">
        {waitS > 0 ? t`Wait ${{ time: durationText(waitS * 1000) }}` : (special?.confirm ?? t`Sign in`)}
      </Button>
      {passkeys && hasPasskeys() && (
        <Button
          busy={withPasskey.isPending}
          disabled={waitS > 0}
          icon={<Fingerprint aria-hidden />}
          onClick={() => {
            signing.reset();
            withPasskey.mutate();
          }}
          className="w-full"
        >
          {t`Sign in with a passkey`}
        </Button>
      )}
      {sso !== null && (
        <Button
          busy={withProvider.isPending}
          icon={<Building2 aria-hidden />}
          onClick={() => {
            signing.reset();
            withPasskey.reset();
            withProvider.mutate();
          }}
          className="w-full"
        >
          {t`Sign in with ${sso}`}
        </Button>
      )}
    </form>
  );
}
