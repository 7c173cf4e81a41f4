/**
 * Who is signed in.
 *
 * A page belongs to its owner: the person who was signed in when it was loaded. If the session ends, or another person
 * signs in, `SessionEndedDialog` hides the page and asks. Leaving always loads the sign-in page from scratch,
 * so that none of the owner's documents stay in memory.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { onRefusal } from "@/api/client";
import { hasRole } from "@/api/roles";
import { sessionQuery, signOut } from "@/api/session";
import type { PersonShown, Role, SessionShown } from "@/api/types";
import { sessionBroadcast } from "./session-broadcast";

/** Whether the owner is still signed in. `other`: the person who is signed in instead. */
export type SessionStatus = { is: "held" } | { is: "ended" } | { is: "taken"; other: PersonShown };

export interface Session {
  /** The name of this gateway. */
  gateway: string;
  /** Whether admins can run experiments here. */
  laboratory: boolean;
  /** The owner of this page. */
  person: PersonShown;
  has: (role: Role) => boolean;
  status: SessionStatus;
  /** Saves what is unsaved, signs out with `end` if given, and goes to the sign-in page, or `to` another address. */
  leave: (end?: () => Promise<void>, to?: string) => Promise<void>;
  /** Calls `work` before signing out, until the returned function is called. */
  beforeLeaving: (work: () => Promise<unknown>) => () => void;
}

/** Signing out must not wait longer for a gateway that does not answer. */
const LAST_WORK_MS = 3000;
/** People with unsaved changes may choose to stay when the browser asks. Then the page must check its session. */
const STAYED_MS = 2000;

const SessionContext = createContext<Session | null>(null);

/** The session of this page. Only for pages that require signing in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession is used outside SessionProvider");
  return session;
}

/** The status of a page of `owner`, by the gateway's latest answer. */
export function sessionStatusOf(owner: PersonShown, latest: SessionShown): SessionStatus {
  if (latest.person === null) return { is: "ended" };
  return latest.person.id === owner.id ? { is: "held" } : { is: "taken", other: latest.person };
}

/** `first`: the session with which the page was loaded. */
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
    // A 401 may have another reason, such as a wrong password, so ask for the session.
    const stop = onRefusal((problem) => problem.status === 401 && ask());
    const mute = sessionBroadcast.listen(ask);
    return () => {
      stop();
      mute();
    };
  }, [client]);

  const [lastWork] = useState(() => new Set<() => Promise<unknown>>());

  const leave = useCallback(
    async (end = signOut, to = "/sign-in") => {
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
      window.location.assign(to);
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
    // The owner's roles and name may have changed.
    const person = status.is === "held" ? (latest.person ?? owner) : owner;
    const { gateway, laboratory } = latest;
    return { gateway, laboratory, person, has: (role) => hasRole(person, role), status, leave, beforeLeaving };
  }, [owner, latest, leaving, leave, beforeLeaving]);

  return <SessionContext value={session}>{children}</SessionContext>;
}
