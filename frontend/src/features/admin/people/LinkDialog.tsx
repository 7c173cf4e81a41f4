import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { makeLink } from "@/api/people";
import type { PersonShown } from "@/api/types";
import { FormDialog } from "@/components/ui/FormDialog";
import { OneTimeLinkDialog } from "./OneTimeLinkDialog";

/** Creates a link with which a person sets a new password, and shows it once. */
export function LinkDialog({ person, onClose }: { person: PersonShown; onClose: () => void }) {
  // The page keeps no copy of the link.
  const making = useMutation({ mutationFn: () => makeLink(person.id), gcTime: 0 });
  const name = person.display_name;
  if (making.data) {
    return <OneTimeLinkDialog title={t`Link for ${name}`} link={making.data} name={name} onClose={onClose} />;
  }
  return (
    <FormDialog
      onClose={onClose}
      title={t`Create a link for ${name}?`}
      description={
        person.has_sso
          ? t`They use this link to sign in another way. That signs them out everywhere, ends their API tokens, and locks what they received or wrote before until another admin agrees. Until then, single sign-on works.`
          : person.has_password
            ? t`They use this link to set a new password. That signs them out everywhere, ends their API tokens, and locks what they received or wrote before until another admin agrees. Until then, the old password works.`
            : t`They use this link to set a password and sign in. Earlier links stop working. If they have documents already, another admin must agree to unlock them.`
      }
      confirm={t`Create link`}
      action={making}
      onSubmit={() => making.mutate()}
    />
  );
}
