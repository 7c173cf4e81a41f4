import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { revokeToken, tokensQuery } from "@/api/tokens";
import type { TokenShown } from "@/api/types";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { NewTokenDialog } from "@/components/tokens/NewTokenDialog";
import { scopesText } from "@/components/tokens/scopes";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { type Column, DataTable } from "@/components/ui/DataTable";
import { EmptyState } from "@/components/ui/EmptyState";
import { Loaded } from "@/components/ui/Loaded";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { toast } from "@/components/ui/toasts";
import { useSession } from "@/session/session";

/** API tokens, for programs that act for the person. */
export function TokensSection() {
  const { person } = useSession();
  const tokens = useQuery(tokensQuery);
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<TokenShown | null>(null);
  const columns = useMemo(() => columnsOf(setEnding), []);
  const { confirmed, dialog, isAsking } = useConfirmed();
  const add = (
    <Button icon={<Plus aria-hidden />} busy={isAsking} onClick={() => confirmed(() => setMaking(true))}>
      {t`New token`}
    </Button>
  );
  return (
    <Section
      title={t`API tokens`}
      lead={t`A program that has your token acts as you. Use a separate token for each program, and let it do no more than it needs.`}
      actions={tokens.data && tokens.data.length > 0 && add}
    >
      <Loaded query={tokens} what={t`the tokens`}>
        {(rows) => (
          <DataTable
            caption={t`My API tokens`}
            columns={columns}
            rows={rows}
            rowId={(token) => token.id}
            empty={
              <EmptyState icon={<KeyRound aria-hidden />} title={t`No tokens yet`} action={add}>
                <Trans>
                  Create one for the <code className="font-mono">sieve</code> command or another program.
                </Trans>
              </EmptyState>
            }
          />
        )}
      </Loaded>
      {dialog}
      {making && <NewTokenDialog owner={person} onClose={() => setMaking(false)} />}
      {ending && <RevokeDialog token={ending} onClose={() => setEnding(null)} />}
    </Section>
  );
}

function columnsOf(end: (token: TokenShown) => void): Column<TokenShown>[] {
  return [
    { id: "label", header: t({ context: "column", message: "For" }), names: true, cell: (token) => token.label },
    { id: "scopes", header: t`Allows`, cell: (token) => scopesText(token.scopes) },
    { id: "created", header: t`Created`, cell: (token) => <RelativeTime at={token.created_at} /> },
    {
      id: "used",
      header: t`Last used`,
      cell: (token) => (token.last_used_at ? <RelativeTime at={token.last_used_at} /> : t`Never`),
    },
    {
      id: "expires",
      header: t`Expires`,
      cell: (token) => (token.expires_at ? <RelativeTime at={token.expires_at} /> : t`Never`),
    },
    {
      id: "actions",
      header: t`Revoke`,
      headerHidden: true,
      align: "end",
      cell: (token) => (
        <Button size="sm" tone="danger" aria-label={t`Revoke ${{ label: token.label }}`} onClick={() => end(token)}>
          {t`Revoke`}
        </Button>
      ),
    },
  ];
}

function RevokeDialog({ token, onClose }: { token: TokenShown; onClose: () => void }) {
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => revokeToken(token.id),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
      toast(t`Token “${{ label: token.label }}” revoked`);
    },
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t`Revoke “${{ label: token.label }}”?`}
      confirm={t`Revoke`}
      action={revoking}
      // A dialog that was cancelled meanwhile must not close the next one.
      onConfirm={() => revoking.mutate(undefined, { onSuccess: onClose })}
    >
      {t`The program that uses this token loses access immediately. This can’t be undone.`}
    </ConfirmDialog>
  );
}
