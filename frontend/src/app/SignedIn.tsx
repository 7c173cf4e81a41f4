import type { PersonShown, SessionShown } from "@/api/types";
import { Layout } from "./Layout";
import { LiveProvider } from "./live";
import { SessionEndedDialog } from "./SessionEndedDialog";
import { SessionProvider } from "./session";

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
