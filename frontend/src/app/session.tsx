/**
 * Who is signed in.
 *
 * A page belongs to the person who was signed in when it was loaded, its owner. When the gateway says that nobody is
 * signed in any more, or somebody else is, the page stays as it is, and `SessionEndedDialog` asks. Leaving is always a
 * full load of the sign-in page, so that nothing of a person's documents stays in memory.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { onRefusal } from "@/api/client";
import { sessionQuery, signOut } from "@/api/session";
import type { PersonShown, Role, SessionShown } from "@/api/types";
import { hasRole } from "@/lib/roles";
import { sessionBroadcast } from "./session-broadcast";

/** What has become of a page's session. `other`: who is signed in now instead. */
export type SessionStatus = { is: "held" } | { is: "ended" } | { is: "taken"; other: PersonShown };

export interface Session {
  /** The name of this gateway. */
  gateway: string;
  /** The owner of this page. */
  person: PersonShown;
  has: (role: Role) => boolean;
  status: SessionStatus;
  /** Ends the sign-in, by `end` if it is given, and leaves for the sign-in page; what waits to be saved goes first. */
  leave: (end?: () => Promise<void>) => Promise<void>;
  /** Calls `work` before the sign-in is ended; what is returned ends that. */
  beforeLeaving: (work: () => Promise<unknown>) => () => void;
}

/** A gateway that does not answer must not keep anybody signed in. */
const LAST_WORK_MS = 3000;
/** Who has something unsaved is asked by the browser, and may stay: then the page must know its state. */
const STAYED_MS = 2000;

const SessionContext = createContext<Session | null>(null);

/** The session of this page. Only for pages that want somebody signed in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession is used outside SessionProvider");
  return session;
}

/** What the gateway's latest word means for a page of `owner`. */
export function sessionStatusOf(owner: PersonShown, latest: SessionShown): SessionStatus {
  if (latest.person === null) return { is: "ended" };
  return latest.person.id === owner.id ? { is: "held" } : { is: "taken", other: latest.person };
}

/** `first`: the session with which the page was loaded; its person is the owner. */
export function SessionProvider({
  first,
  children,
}: {
  first: SessionShown & { person: PersonShown };
  children: ReactNode;
}) {
  const client = useQueryClient();
  const [owner] = useState(first.person);
  const { data: latest = first } = useQuery(sessionQuery);
  const [leaving, setLeaving] = useState(false);

  useEffect(() => {
    const ask = () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    // A 401 may also be about something else, a wrong password say: the session itself is asked.
    const stop = onRefusal((problem) => problem.status === 401 && ask());
    const mute = sessionBroadcast.hear(ask);
    return () => {
      stop();
      mute();
    };
  }, [client]);

  const [lastWork] = useState(() => new Set<() => Promise<unknown>>());

  const leave = useCallback(
    async (end = signOut) => {
      const late = new Promise((resolve) => setTimeout(resolve, LAST_WORK_MS));
      await Promise.race([Promise.allSettled([...lastWork].map((work) => work())), late]);
      setLeaving(true);
      try {
        await end();
      } catch (error) {
        setLeaving(false);
        throw error;
      }
      sessionBroadcast.send();
      window.location.assign("/sign-in");
      setTimeout(() => {
        setLeaving(false);
        void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      }, STAYED_MS);
    },
    [client, lastWork],
  );
  const beforeLeaving = useCallback(
    (work: () => Promise<unknown>) => {
      lastWork.add(work);
      return () => void lastWork.delete(work);
    },
    [lastWork],
  );

  const session = useMemo<Session>(() => {
    const status = leaving ? { is: "held" as const } : sessionStatusOf(owner, latest);
    // The owner's roles and name may have changed meanwhile.
    const person = status.is === "held" ? (latest.person ?? owner) : owner;
    return { gateway: latest.gateway, person, has: (role) => hasRole(person, role), status, leave, beforeLeaving };
  }, [owner, latest, leaving, leave, beforeLeaving]);

  return <SessionContext value={session}>{children}</SessionContext>;
}
