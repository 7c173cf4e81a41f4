import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Fingerprint, LifeBuoy, Smartphone } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type FactorsShown, factorsQuery, makeRecoveryCodes, removeApp, removePasskey } from "@/api/factors";
import { hasPasskeys } from "@/api/passkeys";
import { AddPasskeyForm } from "@/components/factors/AddPasskeyForm";
import { RecoveryCodes } from "@/components/factors/RecoveryCodes";
import { SetUpAppForm } from "@/components/factors/SetUpAppForm";
import { useConfirmed } from "@/components/sign-in/use-confirmed";
import { Button } from "@/components/ui/Button";
import { ConfirmDialog } from "@/components/ui/ConfirmDialog";
import { Dialog } from "@/components/ui/Dialog";
import { Loaded } from "@/components/ui/Loaded";
import { RelativeTime } from "@/components/ui/RelativeTime";
import { Section } from "@/components/ui/Section";
import { toast } from "@/components/ui/toasts";

type Open =
  | { is: "passkey" | "app" | "new-codes" }
  | { is: "codes"; codes: readonly string[] }
  | { is: "remove"; name: string; remove: () => Promise<void> };

/** The person's passkeys, authenticator app and recovery codes. */
export function SecondFactorSection() {
  const client = useQueryClient();
  const factors = useQuery(factorsQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const { confirmed, dialog, isAsking } = useConfirmed();
  const ask = (next: Open) => confirmed(() => setOpen(next));
  const close = () => setOpen(null);
  const reload = () => client.invalidateQueries({ queryKey: factorsQuery.queryKey });
  const added = (codes: readonly string[] | null) => {
    void reload();
    setOpen(codes ? { is: "codes", codes } : null);
    if (!codes) toast(t`Second factor added`, t`You will be asked for it when you sign in.`);
  };
  const canAddPasskey = factors.data?.passkeys_here === true && hasPasskeys();
  return (
    <Section
      title={t`Second factor`}
      lead={t`Besides your password, confirm with a passkey or a code that it is you. Then nobody can sign in with your password alone.`}
      actions={
        factors.data && (
          <>
            {canAddPasskey && (
              <Button icon={<Fingerprint aria-hidden />} busy={isAsking} onClick={() => ask({ is: "passkey" })}>
                {t`Add a passkey`}
              </Button>
            )}
            {!factors.data.app && (
              <Button icon={<Smartphone aria-hidden />} busy={isAsking} onClick={() => ask({ is: "app" })}>
                {t`Use an authenticator app`}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={factors} what={t`your second factors`}>
        {(mine) => <Factors mine={mine} onOpen={ask} />}
      </Loaded>
      {factors.data && !canAddPasskey && (
        <p className="max-w-prose text-quiet text-sm">
          {factors.data.passkeys_here
            ? t`This browser cannot use passkeys. Update it, or use an authenticator app.`
            : t`Passkeys do not work at this address. Open the gateway at its https address, or use an authenticator app.`}
        </p>
      )}
      {dialog}
      {open?.is === "passkey" && (
        <Dialog
          open
          onOpenChange={(is) => is || close()}
          title={t`Add a passkey`}
          description={t`Your device keeps the passkey and asks for your fingerprint, face, PIN or security key.`}
        >
          <AddPasskeyForm onAdded={added} />
        </Dialog>
      )}
      {open?.is === "app" && (
        <Dialog open onOpenChange={(is) => is || close()} title={t`Use an authenticator app`}>
          <SetUpAppForm onAdded={added} />
        </Dialog>
      )}
      {open?.is === "codes" && (
        <Dialog open insistent onOpenChange={() => {}} title={t`Save your recovery codes`}>
          <RecoveryCodes codes={open.codes} onDone={close} />
        </Dialog>
      )}
      {open?.is === "new-codes" && (
        <NewCodesDialog
          onClose={close}
          onMade={(codes) => {
            void reload();
            setOpen({ is: "codes", codes });
          }}
        />
      )}
      {open?.is === "remove" && <RemoveDialog {...open} onClose={close} onRemoved={reload} />}
    </Section>
  );
}

function Factors({ mine, onOpen }: { mine: FactorsShown; onOpen: (open: Open) => void }) {
  if (mine.passkeys.length === 0 && mine.app === null) {
    return <p className="text-sm">{t`You have no second factor yet.`}</p>;
  }
  const left = mine.recovery_codes_left;
  return (
    <ul aria-label={t`My second factors`} className="rounded-lg bg-paper shadow-sheet">
      {mine.passkeys.map(({ id, name, relying_party, created_at, last_used_at }) => (
        <Row
          key={id}
          icon={<Fingerprint aria-hidden />}
          title={name}
          facts={
            <>
              {t`Passkey for ${{ host: relying_party }}`} · <Used at={last_used_at} added={created_at} />
            </>
          }
          action={
            <Button
              size="sm"
              tone="danger"
              aria-label={t`Remove ${name}`}
              onClick={() => onOpen({ is: "remove", name, remove: () => removePasskey(id) })}
            >
              {t`Remove`}
            </Button>
          }
        />
      ))}
      {mine.app && (
        <Row
          icon={<Smartphone aria-hidden />}
          title={t`Authenticator app`}
          facts={<Used at={mine.app.last_used_at} added={mine.app.added_at} />}
          action={
            <Button
              size="sm"
              tone="danger"
              aria-label={t`Remove ${{ name: t`Authenticator app` }}`}
              onClick={() => onOpen({ is: "remove", name: t`Authenticator app`, remove: removeApp })}
            >
              {t`Remove`}
            </Button>
          }
        />
      )}
      <Row
        icon={<LifeBuoy aria-hidden />}
        title={t`Recovery codes`}
        facts={plural(left, { one: "# unused code left", other: "# unused codes left" })}
        action={
          <Button size="sm" onClick={() => onOpen({ is: "new-codes" })}>
            {t`New codes`}
          </Button>
        }
      />
    </ul>
  );
}

function Row({ icon, title, facts, action }: { icon: ReactNode; title: string; facts: ReactNode; action: ReactNode }) {
  return (
    <li className="flex items-center gap-4 border-line border-b px-4 py-3 last:border-b-0 [&>svg]:size-5 [&>svg]:shrink-0 [&>svg]:text-quiet">
      {icon}
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere font-medium text-sm">{title}</p>
        <p className="text-quiet text-sm">{facts}</p>
      </div>
      {action}
    </li>
  );
}

function Used({ at, added }: { at: string | null; added: string }) {
  return at ? (
    <Trans>
      last used <RelativeTime at={at} />
    </Trans>
  ) : (
    <Trans>
      added <RelativeTime at={added} />
    </Trans>
  );
}

function NewCodesDialog({ onClose, onMade }: { onClose: () => void; onMade: (codes: readonly string[]) => void }) {
  const making = useMutation({ mutationFn: makeRecoveryCodes, onSuccess: onMade, gcTime: 0 });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t`Create new recovery codes?`}
      confirm={t`Create codes`}
      tone="primary"
      action={making}
      onConfirm={() => making.mutate()}
    >
      {t`Your earlier recovery codes will no longer work.`}
    </ConfirmDialog>
  );
}

interface RemoveDialogProps {
  name: string;
  remove: () => Promise<void>;
  onClose: () => void;
  onRemoved: () => Promise<void>;
}

function RemoveDialog({ name, remove, onClose, onRemoved }: RemoveDialogProps) {
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      await onRemoved();
      toast(t`“${name}” removed`);
    },
  });
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t`Remove “${name}”?`}
      confirm={t`Remove`}
      action={removing}
      // A dialog that was cancelled meanwhile must not close the next one.
      onConfirm={() => removing.mutate(undefined, { onSuccess: onClose })}
    >
      {t`You can no longer confirm with it that it is you. If it is your last second factor, your recovery codes go, too, and your password alone signs you in.`}
    </ConfirmDialog>
  );
}
