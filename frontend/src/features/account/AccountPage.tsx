import { useSession } from "@/app/session";
import { Badge } from "@/components/ui/Badge";
import { PageHeader } from "@/components/ui/PageHeader";
import { EmailSection } from "./EmailSection";
import { NotificationsSection } from "./NotificationsSection";
import { PasswordSection } from "./PasswordSection";
import { SignInsSection } from "./SignInsSection";
import { TokensSection } from "./TokensSection";

/** The signed-in person's account: password, sign-ins, tokens. */
export function AccountPage() {
  const { person, gateway } = useSession();
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-12">
      <div>
        <PageHeader title={person.display_name}>
          Signed in as <span className="font-medium text-ink">{person.name}</span> at {gateway}
        </PageHeader>
        <ul aria-label="Your roles" className="-mt-3 flex flex-wrap gap-2 sm:-mt-5">
          {person.is_author && <Role>Author</Role>}
          {person.is_recipient && <Role>Recipient</Role>}
          {person.is_admin && <Role>Admin</Role>}
          {person.cleared && (
            <li>
              <Badge tone="secure">Cleared</Badge>
            </li>
          )}
        </ul>
      </div>
      {person.is_recipient && <NotificationsSection />}
      {person.is_recipient && <EmailSection />}
      <PasswordSection />
      <SignInsSection />
      <TokensSection />
    </div>
  );
}

function Role({ children }: { children: string }) {
  return (
    <li>
      <Badge tone="quiet">{children}</Badge>
    </li>
  );
}
