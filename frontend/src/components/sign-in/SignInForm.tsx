import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { Problem } from "@/api/problem";
import { signIn } from "@/api/session";
import type { SessionShown } from "@/api/types";
import { durationText } from "@/lib/durations";
import { useNow } from "@/lib/use-now";
import { PasswordInput } from "./PasswordInput";
import { Button } from "./ui/Button";
import { ErrorPanel } from "./ui/ErrorPanel";
import { Field } from "./ui/Field";
import { Input } from "./ui/Input";

interface SignInFormProps {
  /** The login that the field contains at first. */
  name?: string;
  /** A note, and the button's text, for the login that was typed. */
  about?: (name: string) => { note: ReactNode; confirm: string } | null;
  onSignedIn: (session: SessionShown) => void;
}

/** Asks for login and password. After too many attempts it counts down the required wait. */
export function SignInForm({ name: first = "", about, onSignedIn }: SignInFormProps) {
  const [name, setName] = useState(first);
  const [password, setPassword] = useState("");
  const [waitUntil, setWaitUntil] = useState(0);
  const waits = useWait(waitUntil);
  const signing = useMutation({
    mutationFn: () => signIn(name.trim(), password),
    onSuccess: onSignedIn,
    onError: (error) => {
      setPassword("");
      if (error instanceof Problem && error.status === 429) setWaitUntil(Date.now() + (error.retryAfterS ?? 30) * 1000);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (waits === 0 && !signing.isPending) signing.mutate();
  };
  const special = about?.(name.trim().toLowerCase()) ?? null;
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
      {signing.error && !(signing.error instanceof Problem && signing.error.status === 429 && waits === 0) && (
        <ErrorPanel problem={signing.error} />
      )}
      {special?.note}
      <Button type="submit" tone="primary" busy={signing.isPending} disabled={waits > 0} className="w-full">
        {waits > 0 ? t`Wait ${{ time: durationText(waits * 1000) }}` : (special?.confirm ?? t`Sign in`)}
      </Button>
    </form>
  );
}

/** Whole seconds until `until`, counted down; 0 from then on. */
function useWait(until: number): number {
  const now = useNow(1000);
  return Math.max(0, Math.ceil((until - Math.max(now, Date.now())) / 1000));
}
