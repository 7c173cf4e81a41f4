import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@/components/ui/Badge";
import { PageHeader } from "@/components/ui/PageHeader";
import { useSession } from "@/session/session";
import { EmailSection } from "./EmailSection";
import { NotificationsSection } from "./NotificationsSection";
import { PasswordSection } from "./PasswordSection";
import { SecondFactorSection } from "./SecondFactorSection";
import { SignInsSection } from "./SignInsSection";
import { TokensSection } from "./TokensSection";

/** The signed-in person's account: password, second factor, sign-ins, tokens. */
export function AccountPage() {
  const { person, gateway } = useSession();
  const login = person.name;
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-12">
      <div>
        <PageHeader title={person.display_name}>
          <Trans>
            Signed in as <span className="font-medium text-ink">{login}</span> at {gateway}
          </Trans>
        </PageHeader>
        <ul aria-label={t`Your roles`} className="-mt-3 flex flex-wrap gap-2 sm:-mt-5">
          {person.is_author && <Role>{t`Author`}</Role>}
          {person.is_recipient && <Role>{t`Recipient`}</Role>}
          {person.is_admin && <Role>{t`Admin`}</Role>}
          {person.cleared && (
            <li>
              <Badge tone="secure">{t`Cleared`}</Badge>
            </li>
          )}
        </ul>
      </div>
      {person.locked_before && <LockedNotice />}
      {person.is_recipient && <NotificationsSection />}
      {person.is_recipient && <EmailSection />}
      <PasswordSection />
      <SecondFactorSection />
      <SignInsSection />
      <TokensSection />
    </div>
  );
}

function LockedNotice() {
  return (
    <p className="rounded-md border border-line bg-sunken px-4 py-3 text-sm">
      <Trans>
        Your password was set with a link from an admin, or an admin removed your second factor. Classified content that
        you received before, and your earlier documents, are locked until a second admin agrees. Ask one whom you know.
      </Trans>
    </p>
  );
}

function Role({ children }: { children: string }) {
  return (
    <li>
      <Badge tone="quiet">{children}</Badge>
    </li>
  );
}
