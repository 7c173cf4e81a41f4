import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addWebhook, removeWebhook, testWebhook, type WebhookShown, webhooksQuery } from "@/api/notifications";
import type { PersonShown } from "@/api/types";
import { announce } from "@/components/announce";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { Button } from "@/components/ui/Button";
import { CopyButton } from "@/components/ui/CopyButton";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Field } from "@/components/ui/Field";
import { Input } from "@/components/ui/Input";
import { Loaded } from "@/components/ui/Loaded";
import { RelativeTime } from "@/components/ui/RelativeTime";

/** The webhooks of a person: lists, adds, tests and removes them. A new one's secret is shown once. */
export function WebhooksDialog({ person, onClose }: { person: PersonShown; onClose: () => void }) {
  const client = useQueryClient();
  const webhooks = useQuery(webhooksQuery(person.id));
  const refresh = () => client.invalidateQueries({ queryKey: webhooksQuery(person.id).queryKey });
  const [url, setUrl] = useState("");
  const { confirmed, dialog, isAsking } = useConfirmed();
  const adding = useMutation({
    mutationFn: () => addWebhook(person.id, url.trim()),
    gcTime: 0,
    onSuccess: () => {
      setUrl("");
      announce(t`Webhook added. Copy its secret now.`);
      return refresh();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t`Webhooks of ${{ name: person.display_name }}`}
      description={t`The gateway calls these addresses when a document arrives for ${{ name: person.display_name }}. A request names the sender, but has no text of the document. It has the document’s name only if the setting SIEVE_NOTIFICATIONS_NAME_DOCUMENTS is on.`}
      footer={
        <Button tone="primary" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      }
    >
      <div className="flex flex-col gap-5">
        <form
          noValidate
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (url.trim() !== "" && !adding.isPending) confirmed(() => adding.mutate());
          }}
        >
          <Field label={t`Address`} hint={t`https://, or http:// for an application on the gateway’s machine.`}>
            <Input type="url" value={url} onChange={(event) => setUrl(event.target.value)} />
          </Field>
          {adding.error && <ErrorPanel problem={adding.error} />}
          <div>
            <Button type="submit" busy={adding.isPending || isAsking} disabled={url.trim() === ""}>
              <Trans>Add webhook</Trans>
            </Button>
          </div>
        </form>
        {dialog}
        {adding.data && <Secret secret={adding.data.secret} />}
        <Loaded query={webhooks} what={t`the webhooks`} lines={2}>
          {(rows) =>
            rows.length === 0 ? (
              <p className="text-quiet text-sm">
                <Trans>No webhooks yet.</Trans>
              </p>
            ) : (
              <ul aria-label={t`Webhooks`} className="flex flex-col divide-y divide-line">
                {rows.map((row) => (
                  <Row key={row.id} personId={person.id} row={row} onChange={refresh} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
}

function Secret({ secret }: { secret: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm">
        <Trans>Copy this secret into the application now. It signs the requests and is not shown again.</Trans>
      </p>
      <output
        aria-label={t`Secret of the new webhook`}
        className="block select-all wrap-anywhere rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm"
      >
        {secret}
      </output>
      <div>
        <CopyButton text={secret} what={t`secret`} worded />
      </div>
    </div>
  );
}

function Row({ personId, row, onChange }: { personId: string; row: WebhookShown; onChange: () => Promise<void> }) {
  const testing = useMutation({
    mutationFn: () => testWebhook(personId, row.id),
    onSuccess: (problem) => {
      announce(problem === null ? t`The application accepted the request.` : t`The test failed: ${problem}.`);
      return onChange();
    },
  });
  const removing = useMutation({ mutationFn: () => removeWebhook(personId, row.id), onSuccess: onChange });
  const error = testing.error ?? removing.error;
  return (
    <li className="flex flex-col gap-1 py-3 text-sm">
      <span className="wrap-anywhere font-medium">{row.url}</span>
      {row.problem ? (
        <span className="text-danger">{t`Last request failed: ${{ problem: row.problem }}.`}</span>
      ) : (
        <span className="text-quiet">
          {row.sent_at ? (
            <Trans>
              Last request accepted <RelativeTime at={row.sent_at} />.
            </Trans>
          ) : (
            t`Not called yet.`
          )}
        </span>
      )}
      {error && <ErrorPanel problem={error} />}
      <span className="flex gap-2 pt-1">
        <Button onClick={() => testing.mutate()} busy={testing.isPending} aria-label={t`Test ${{ address: row.url }}`}>
          <Trans>Test</Trans>
        </Button>
        <Button
          tone="danger"
          onClick={() => removing.mutate()}
          busy={removing.isPending}
          aria-label={t`Remove ${{ name: row.url }}`}
        >
          <Trans>Remove</Trans>
        </Button>
      </span>
    </li>
  );
}
