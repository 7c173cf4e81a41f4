/**
 * Has the gateway look through a long text for leaks: a moment after all is saved, and when somebody asks. It looks at
 * what is saved, which takes it a second and more, and rests as long as it took.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { checkDraft, type DocumentChecked } from "@/api/findings";
import { asProblem, Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { leakCheckText } from "@/features/transfers/findings";
import { useSaver, useSaveState } from "@/features/workspace/saving/saving";
import type { LargeEditor } from "./engine/editor";
import { Look } from "./look";

export interface Looked {
  readonly look: Look;
  readonly checked: DocumentChecked;
}

export interface Looking {
  /** The last one; its places move along with the text. */
  readonly looked: Looked | null;
  readonly pending: boolean;
  readonly error: Error | null;
  /** Looks now. */
  readonly again: () => void;
}

/** After the last save. */
const PAUSE_MS = 2000;
/** Between two tries at most, where one after the other fails. */
const LONGEST_MS = 300_000;

export function useLook(id: string, editor: LargeEditor): Looking {
  const saver = useSaver();
  const { phase, revision } = useSaveState();
  const [looked, setLooked] = useState<Looked | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [pending, setPending] = useState(false);
  const kept = useRef<Look | null>(null);
  const busy = useRef<AbortController | null>(null);
  const took = useRef(0);
  /** The revision that was looked at last. */
  const seen = useRef(-1);
  const [failed, setFailed] = useState({ revision: -1, times: 0 });
  /** So many findings were told of last. */
  const told = useRef(-1);

  const look = useCallback(
    async (asked: boolean) => {
      if (busy.current) return;
      const abort = new AbortController();
      busy.current = abort;
      setPending(true);
      if (asked) announce("Looking for leaks");
      const began = performance.now();
      let next: Look | null = null;
      let at = -1;
      try {
        const { phase, revision } = await saver.flush();
        if (phase.is !== "saved")
          throw new Problem(0, "It looks at what is saved, and the latest changes could not be saved.");
        at = revision;
        next = new Look(editor);
        const [checked] = await Promise.all([checkDraft(id, abort.signal), next.count()]);
        if (checked.revision !== revision) throw new Problem(0, "The document was saved meanwhile. Look again.");
        if (abort.signal.aborted) return next.end();
        kept.current?.end();
        kept.current = next;
        seen.current = revision;
        setLooked({ look: next, checked });
        setError(null);
        // Of a look that nobody asked for only what is new is told: there is one after each pause.
        if (asked || checked.count !== told.current) announce(leakCheckText(checked.count));
        told.current = checked.count;
      } catch (error) {
        next?.end();
        if (abort.signal.aborted) return;
        // It is tried again by itself; only who asked is told.
        setFailed((before) => ({ revision: at, times: before.revision === at ? before.times + 1 : 1 }));
        if (asked) setError(asProblem(error));
      } finally {
        took.current = performance.now() - began;
        busy.current = null;
        if (!abort.signal.aborted) setPending(false);
      }
    },
    [id, editor, saver],
  );

  useEffect(() => {
    if (phase.is !== "saved" || pending || seen.current === revision) return;
    const tries = failed.revision === revision ? failed.times : 0;
    const wait = Math.min(LONGEST_MS, PAUSE_MS * 2 ** tries);
    const timer = setTimeout(() => void look(false), Math.max(wait, took.current));
    return () => clearTimeout(timer);
  }, [phase.is, revision, pending, failed, look]);

  useEffect(
    () => () => {
      busy.current?.abort();
      kept.current?.end();
    },
    [],
  );
  return { looked, pending, error, again: () => void look(true) };
}
