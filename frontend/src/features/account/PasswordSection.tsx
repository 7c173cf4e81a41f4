import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changePassword } from "@/api/account";
import { confirmationQuery, confirmIdentity, signOut } from "@/api/session";
import { providerQuery } from "@/api/sso";
import { NewPasswordField } from "@/components/NewPasswordField";
import { PasswordInput } from "@/components/PasswordInput";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { Button } from "@/components/ui/Button";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Section } from "@/components/ui/Section";
import { toast } from "@/components/ui/toasts";
import { passwordRules } from "@/lib/passwords";
import { useSession } from "@/session/session";

/**
 * A form that changes the password. If the person signed in a while ago, they confirm first: with their second factor, or
 * else with the current password, which they have just typed.
 */
export function PasswordSection() {
  const { person } = useSession();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const client = useQueryClient();
  const { confirmed: withFactor, dialog, isAsking } = useConfirmed();
  const changing = useMutation({
    mutationFn: async () => {
      const { confirmed, methods } = await client.fetchQuery(confirmationQuery);
      if (!confirmed && !methods.password) return false;
      if (!confirmed) await confirmIdentity({ password: current });
      await changePassword(current, next);
      return true;
    },
    onSuccess: (changed) => {
      if (!changed) return withFactor(() => changing.mutate());
      setCurrent("");
      setNext("");
      toast(t`Password changed`, t`You have been signed out everywhere else, and your API tokens have ended.`);
    },
  });
  const ready = current !== "" && passwordRules(next, person.name).every((rule) => rule.kept);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready && !changing.isPending) changing.mutate();
  };
  if (person.has_sso) return <ProviderSection />;
  if (!person.has_password) {
    return (
      <Section
        title={t`Password`}
        lead={t`You have no password because you signed in another way. To set one, ask an admin for a link.`}
      />
    );
  }
  return (
    <Section
      title={t`Password`}
      lead={t`Changing your password signs you out everywhere else and ends your API tokens.`}
    >
      <form onSubmit={submit} className="flex max-w-md flex-col gap-4">
        <input type="text" name="username" autoComplete="username" value={person.name} readOnly hidden />
        <Field label={t`Current password`}>
          <PasswordInput
            name="current-password"
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
        <NewPasswordField login={person.name} value={next} onChange={setNext} />
        {changing.error && <ErrorPanel problem={changing.error} />}
        <div>
          <Button type="submit" tone="primary" busy={changing.isPending || isAsking} disabled={!ready}>
            {t`Change password`}
          </Button>
        </div>
      </form>
      {dialog}
    </Section>
  );
}

/** How a person signs in with the provider, and how to sign out of it. */
function ProviderSection() {
  const { leave } = useSession();
  const provider = useQuery({ ...providerQuery, retry: false });
  const name = provider.data?.name ?? t`single sign-on`;
  const address = provider.data?.sign_out_url ?? null;
  const leaving = useMutation({
    mutationFn: (there: string) => leave(signOut, there),
  });
  return (
    <Section
      title={t`Sign-in`}
      lead={t`You sign in with ${name}, so you have no password here. Signing out of this gateway does not sign you out there.`}
      actions={
        address !== null && (
          <Button busy={leaving.isPending} onClick={() => leaving.mutate(address)}>
            {t`Sign out of ${name}, too`}
          </Button>
        )
      }
    />
  );
}
