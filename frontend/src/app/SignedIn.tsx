import type { PersonShown, SessionShown } from "@/api/types";
import { LiveProvider } from "@/session/live";
import { SessionProvider } from "@/session/session";
import { Layout } from "./Layout";
import { SessionEndedDialog } from "./SessionEndedDialog";

/** The frame of every page for signed-in people. */
export function SignedIn({ first }: { first: SessionShown & { person: PersonShown } }) {
  return (
    <SessionProvider first={first}>
      <LiveProvider>
        <Layout />
      </LiveProvider>
      <SessionEndedDialog />
    </SessionProvider>
  );
}
