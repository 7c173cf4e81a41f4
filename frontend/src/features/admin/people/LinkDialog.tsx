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
      title={`Make a link for ${name}?`}
      description={
        person.has_password
          ? "By it they set a new password. Using it ends their sign-ins everywhere; until then the old password counts."
          : "By it they set their password and are signed in. Links made for them before end now."
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" busy={making.isPending} onClick={() => making.mutate()}>
            Make link
          </Button>
        </>
      }
    >
      {making.error && <ErrorPanel problem={making.error} />}
    </Dialog>
  );
}
