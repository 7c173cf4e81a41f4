import type { PersonShown, SessionShown } from "@/api/types";
import { Layout } from "./Layout";
import { LiveProvider } from "./live";
import { SessionEndedDialog } from "./SessionEndedDialog";
import { SessionProvider } from "./session";

/** Everything around a page of somebody who is signed in. */
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
