import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changeNotifications, type NotificationsShown, notificationsQuery } from "@/api/notifications";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { Button } from "@/components/ui/Button";
import { Checkbox } from "@/components/ui/Checkbox";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Section } from "@/components/ui/Section";
import { toast } from "@/components/ui/toasts";

/** Asks for an e-mail address to write to when documents arrive. Nothing is shown at a gateway without a mail server. */
export function EmailSection() {
  const { data } = useQuery(notificationsQuery);
  if (!data?.email_available) return null;
  return (
    <Section
      title={t`E-mail`}
      lead={
        data.names_documents
          ? t`The gateway can write to you when documents arrive. The message names the sender and the document and has a link, but no text of the document.`
          : t`The gateway can write to you when documents arrive. The message names the sender and has a link, but neither the document’s name nor its text.`
      }
    >
      <EmailForm saved={data} />
    </Section>
  );
}

function EmailForm({ saved }: { saved: NotificationsShown }) {
  const client = useQueryClient();
  const [email, setEmail] = useState(saved.email ?? "");
  const [wanted, setWanted] = useState(saved.email_notifications);
  const address = email.trim();
  const { confirmed, dialog, isAsking } = useConfirmed();
  const saving = useMutation({
    mutationFn: () => changeNotifications(address === "" ? null : address, wanted),
    onSuccess: (now) => {
      client.setQueryData(notificationsQuery.queryKey, now);
      toast(
        now.email_notifications ? t`E-mail switched on` : t`E-mail switched off`,
        now.email_notifications
          ? t`Messages go to ${{ address: now.email ?? "" }}.`
          : t`You will get no messages about documents.`,
      );
    },
  });
  const ready = address !== "" || !wanted;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || saving.isPending) return;
    const tellsElsewhere = (wanted && !saved.email_notifications) || (address !== "" && address !== saved.email);
    if (tellsElsewhere) confirmed(() => saving.mutate());
    else saving.mutate();
  };
  return (
    <>
      <form onSubmit={submit} className="flex max-w-md flex-col gap-4" noValidate>
        <Field
          label={t`E-mail address`}
          hint={t`The gateway does not check that this address is yours. Anyone who reads its mail learns who sends you documents.`}
          error={ready ? null : t`Enter an e-mail address.`}
        >
          <Input
            type="email"
            name="email"
            autoComplete="email"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Checkbox label={t`E-mail me when documents arrive`} checked={wanted} onCheckedChange={setWanted} />
        {saving.error && <ErrorPanel problem={saving.error} />}
        <div>
          <Button type="submit" tone="primary" busy={saving.isPending || isAsking} disabled={!ready}>
            {t`Save`}
          </Button>
        </div>
      </form>
      {dialog}
    </>
  );
}
