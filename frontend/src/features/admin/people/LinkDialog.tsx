import { useMutation } from "@tanstack/react-query";
import { makeLink } from "@/api/people";
import type { PersonShown } from "@/api/types";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { ErrorPanel } from "@/components/ui/ErrorPanel";
import { OneTimeLink } from "./OneTimeLink";

/** Makes a link by which somebody sets a new password, and shows it this once. */
export function LinkDialog({ person, onClose }: { person: PersonShown; onClose: () => void }) {
  // The link is shown and then forgotten, here too.
  const making = useMutation({ mutationFn: () => makeLink(person.id), gcTime: 0 });
  const name = person.display_name;
  if (making.data) {
    return (
      <Dialog
        open
        insistent
        onOpenChange={onClose}
        title={`Link for ${name}`}
        footer={
          <Button tone="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <OneTimeLink link={making.data} name={name} />
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Create a link for ${name}?`}
      description={
        person.has_password
          ? "They use this link to set a new password, which signs them out everywhere else. Until then, the old password works."
          : "They use this link to set a password and sign in. Earlier links stop working."
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" busy={making.isPending} onClick={() => making.mutate()}>
            Create link
          </Button>
        </>
      }
    >
      {making.error && <ErrorPanel problem={making.error} />}
    </Dialog>
  );
}
