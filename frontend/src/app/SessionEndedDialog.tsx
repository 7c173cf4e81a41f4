import { t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { sessionQuery } from "@/api/session";
import type { PersonShown, SessionShown } from "@/api/types";
import { announce } from "@/components/announce";
import { SignInForm } from "@/components/sign-in/SignInForm";
import { Button } from "@/components/ui/Button";
import { Dialog } from "@/components/ui/Dialog";
import { useSession } from "@/session/session";
import { sessionBroadcast } from "@/session/session-broadcast";

/**
 * Asks the page's owner to sign in again after the session ended. The page is hidden. It and its unsaved changes come
 * back with the owner; another person who signs in gets nothing of it.
 */
export function SessionEndedDialog() {
  const { status } = useSession();
  return status.is === "held" ? null : <Ended other={status.is === "taken" ? status.other : null} />;
}

/** `other`: the person who signed in in this browser instead. */
function Ended({ other }: { other: PersonShown | null }) {
  const client = useQueryClient();
  const { person } = useSession();
  // The form takes the focus before the dialog can save where it was.
  const [before] = useState(() => document.activeElement);

  const goOn = (session: SessionShown) => {
    sessionBroadcast.send();
    if (session.person?.id !== person.id) {
      window.location.assign("/");
      return;
    }
    client.setQueryData(sessionQuery.queryKey, session);
    // Reloads what failed meanwhile; contents never change.
    void client.invalidateQueries({ predicate: ({ queryKey }) => !KEPT.has(String(queryKey[0])) });
    announce(t`You are signed in again.`);
  };

  const title = other ? t`${{ name: other.display_name }} signed in` : t`You are signed out`;
  return (
    <Dialog
      open
      insistent
      hidesPage
      width="sm"
      onOpenChange={() => {}}
      finalFocus={() => (before instanceof HTMLElement ? before : true)}
      title={title}
      description={
        other
          ? t`Someone else signed in in this browser. This page belongs to ${{ owner: person.display_name }} and is hidden.`
          : t`The page is hidden. Sign in to continue: nothing on it is lost.`
      }
    >
      <SignInForm
        key={other?.id ?? ""}
        name={person.name}
        about={(name) =>
          name === "" || name === person.name
            ? null
            : {
                note: <Lost owner={person.display_name} />,
                confirm: t`Sign in and close this page`,
              }
        }
        onSignedIn={goOn}
      />
      {other && (
        <div className="mt-6 flex flex-col gap-3 border-line border-t pt-4">
          <Lost owner={person.display_name} />
          <Button tone="danger" onClick={() => window.location.assign("/")}>
            {t`Continue as ${{ name: other.display_name }}`}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

const KEPT = new Set(["session", "content", "progress"]);

function Lost({ owner }: { owner: string }) {
  return (
    <p className="text-danger text-sm">
      {t`This page belongs to ${owner}. It will close, and unsaved changes will be lost.`}
    </p>
  );
}
