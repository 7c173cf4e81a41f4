import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endSession, openSessionsQuery, signOutEverywhere } from "@/api/session";
import type { OpenSession } from "@/api/types";
import { Badge } from "@/components/ui/Badge";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { Loaded } from "@/components/ui/Loaded";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { toast, toastError } from "@/components/ui/toasts";
import { useSession } from "@/session/session";

/** The browsers in which the person is signed in; signs them out of one, or everywhere. */
export function SignInsSection() {
  const { leave } = useSession();
  const client = useQueryClient();
  const sessions = useQuery(openSessionsQuery);
  const [asking, setAsking] = useState(false);
  const everywhere = useMutation({ mutationFn: () => leave(signOutEverywhere) });
  const ending = useMutation({
    mutationFn: (session: OpenSession) => endSession(session.id),
    onSuccess: (_, session) => toast(t`Signed out of ${{ browser: nameOf(session) }}`),
    onError: (error) => toastError(t`Could not end the session.`, error),
    onSettled: () => client.invalidateQueries({ queryKey: openSessionsQuery.queryKey }),
  });
  return (
    <Section
      title={t`Sign-ins`}
      lead={t`Where you are signed in. If you do not recognise a browser, sign out of it and change your password.`}
      actions={
        <Button tone="danger" onClick={() => setAsking(true)}>
          {t`Sign out everywhere`}
        </Button>
      }
    >
      <Loaded query={sessions} what={t`your sign-ins`} lines={2}>
        {(rows) => (
          <DataTable
            caption={t`Sign-ins`}
            columns={columnsOf((session) => ending.mutate(session))}
            rows={rows}
            rowId={(session) => session.id}
            empty={<p className="text-quiet text-sm">{t`You are not signed in in any browser.`}</p>}
          />
        )}
      </Loaded>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t`Sign out everywhere?`}
        confirm={t`Sign out everywhere`}
        action={everywhere}
        onConfirm={() => everywhere.mutate()}
      >
        <Trans>
          You will be signed out of every browser, including this one, and all your API tokens will stop working.
          Unsaved changes are lost unless you sign in again in the same window.
        </Trans>
      </ConfirmDialog>
    </Section>
  );
}

function columnsOf(end: (session: OpenSession) => void): Column<OpenSession>[] {
  return [
    {
      id: "device",
      header: t`Browser`,
      names: true,
      cell: (session) => (
        <span className="flex flex-wrap items-center gap-2">
          {nameOf(session)}
          {session.current && <Badge tone="quiet">{t`This one`}</Badge>}
        </span>
      ),
    },
    { id: "source", header: t`Network address`, cell: (session) => session.source ?? t`Not known` },
    { id: "since", header: t`Signed in`, cell: (session) => <RelativeTime at={session.created_at} /> },
    { id: "used", header: t`Last used`, cell: (session) => <RelativeTime at={session.last_used_at} /> },
    {
      id: "actions",
      header: t`Sign out`,
      headerHidden: true,
      align: "end",
      cell: (session) =>
        !session.current && (
          <Button size="sm" aria-label={t`Sign out of ${{ browser: nameOf(session) }}`} onClick={() => end(session)}>
            {t`Sign out`}
          </Button>
        ),
    },
  ];
}

function nameOf(session: OpenSession): string {
  return session.device ?? t`Unknown browser`;
}
