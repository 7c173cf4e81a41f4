import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { revokeTokenOf, tokensOfQuery } from "@/api/tokens";
import type { PersonShown, TokenShown } from "@/api/types";
import { announce } from "@/components/announce";
import { NewTokenDialog } from "@/components/tokens/NewTokenDialog";
import { scopesText } from "@/components/tokens/scopes";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { Loaded } from "@/components/ui/Loaded";
import { RelativeTime } from "@/components/ui/RelativeTime";

/** The API tokens of an account: lists and revokes them; makes them for service accounts. */
export function TokensDialog({ person, onClose }: { person: PersonShown; onClose: () => void }) {
  const tokens = useQuery(tokensOfQuery(person.id));
  const [making, setMaking] = useState(false);
  if (making) return <NewTokenDialog owner={person} onClose={() => setMaking(false)} />;
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t`API tokens of ${{ name: person.display_name }}`}
      description={person.is_service ? t`Programs use them to act as this account.` : t`People make their own tokens.`}
      footer={
        <>
          {person.is_service && (
            <Button onClick={() => setMaking(true)}>
              <Trans>New token</Trans>
            </Button>
          )}
          <Button tone="primary" onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        </>
      }
    >
      <Loaded query={tokens} what={t`the tokens`} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-quiet text-sm">
              <Trans>No tokens.</Trans>
            </p>
          ) : (
            <ul aria-label={t`API tokens`} className="flex flex-col divide-y divide-line">
              {rows.map((row) => (
                <Row key={row.id} personId={person.id} row={row} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}

function Row({ personId, row }: { personId: string; row: TokenShown }) {
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => revokeTokenOf(personId, row.id),
    onSuccess: () => {
      announce(t`Token “${{ label: row.label }}” revoked`);
      return client.invalidateQueries({ queryKey: tokensOfQuery(personId).queryKey });
    },
  });
  return (
    <li className="flex flex-col gap-1 py-3 text-sm">
      <span className="wrap-anywhere font-medium">{row.label}</span>
      <span className="text-quiet">{t`Allows: ${{ scopes: scopesText(row.scopes) }}`}</span>
      <span className="text-quiet">
        {row.last_used_at ? (
          <Trans>
            Last used <RelativeTime at={row.last_used_at} />
          </Trans>
        ) : (
          t`Never used`
        )}
        {row.expires_at && (
          <>
            {" · "}
            <Trans>
              expires <RelativeTime at={row.expires_at} />
            </Trans>
          </>
        )}
      </span>
      {revoking.error && <ErrorPanel problem={revoking.error} />}
      <span className="pt-1">
        <Button
          tone="danger"
          onClick={() => revoking.mutate()}
          busy={revoking.isPending}
          aria-label={t`Revoke ${{ label: row.label }}`}
        >
          <Trans>Revoke</Trans>
        </Button>
      </span>
    </li>
  );
}
