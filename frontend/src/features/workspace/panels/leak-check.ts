/**
 * Has the gateway check an open document for leaks after each pause, and keeps its findings at their places while the
 * document changes. The findings of the last check stay until the next answer.
 */
import { t } from "@lingui/core/macro";
import { checkDraft, checkUnsaved, type DocumentChecked, type FindingShown } from "@/api/findings";
import { asProblem, Problem } from "@/api/problem";
import { announce } from "@/components/announce";
import { type Group, groupFindings, leakCheckText, NAME_ADDRESS } from "@/features/transfers/findings";
import type { AnySaver } from "@/features/workspace/saving/saver";
import type { Surface, Tracker } from "./surface";

/** A finding that is not marked or deleted yet. `place`: null where it is about more than a place of the document. */
export interface OpenFinding<Place> extends FindingShown {
  readonly place: Place | null;
}

export interface Findings<Place> {
  /** The last answer; null before the first one. */
  readonly checked: DocumentChecked | null;
  /** Neither marked nor deleted since, nor left as they are. */
  readonly open: readonly OpenFinding<Place>[];
  /** The same, those about one thing together. */
  readonly groups: readonly Group<OpenFinding<Place>>[];
  /** The suggestions that are neither marked nor deleted since, by what they are about. */
  readonly suggestions: readonly Group<OpenFinding<Place>>[];
  /** How many findings are left as they are. */
  readonly left: number;
  /** Why, in words of who left them. */
  readonly reasons: readonly string[];
  /** Whether the answer is about the document as it is now. */
  readonly isCurrent: boolean;
  readonly pending: boolean;
  /** What is being left as it is, and the reason as far as it is typed; null if nothing is. */
  readonly leaving: Leaving | null;
  /** Why the last check failed, until one succeeds: an answer from before a failed check is not to be relied on. */
  readonly error: Error | null;
}

/** `key`: of the group, or `ALL_GROUPS`. */
export interface Leaving {
  readonly key: string;
  readonly reason: string;
}

/** In place of a group's key: the reason is for all groups. */
export const ALL_GROUPS = "all";

interface Answer<Place> {
  readonly checked: DocumentChecked;
  readonly tracker: Tracker<Place>;
}

/** The document to check, and when. */
export interface Checking<Place> {
  /** Asks the gateway about the document as it is now. */
  readonly ask: (signal: AbortSignal) => Promise<Answer<Place>>;
  /** The version to check: another value after each change, null while it is not saved where only saves are checked. */
  readonly version: () => unknown;
  /** Calls `listener` when `version` may have changed. Returns a function that unsubscribes it. */
  readonly onVersion: (listener: () => void) => () => void;
  /** Whether each version is checked automatically; otherwise only `now` starts a check. */
  readonly byItself: boolean;
  /** From the last change to the check. */
  readonly pauseMs: number;
}

/** Checks the text in the editor, saved or not. `marked`: that text, and `version` another value after each change. */
export function checkingUnsaved<Place>(
  id: string,
  surface: Surface<Place>,
  version: () => unknown,
  marked: () => string,
): Checking<Place> {
  return {
    ask: async (signal) => answerOf(surface, () => checkUnsaved(id, marked(), signal)),
    version,
    onVersion: surface.onChange,
    byItself: true,
    pauseMs: 150,
  };
}

/** Checks the latest save, `pauseMs` after it. `byItself`: also without a request. */
export function checkingSaved<Place>(
  id: string,
  surface: Surface<Place>,
  saver: AnySaver,
  { pauseMs, byItself = true }: { pauseMs: number; byItself?: boolean },
): Checking<Place> {
  return {
    ask: async (signal) => {
      const { phase, revision } = await saver.flush();
      if (phase.is !== "saved")
        throw new Problem(0, t`Only saved changes can be checked, and the latest could not be saved.`);
      return answerOf(surface, async () => {
        const checked = await checkDraft(id, signal);
        if (checked.revision !== revision)
          throw new Problem(0, t`The document was saved elsewhere during the check. Check again.`);
        return checked;
      });
    },
    version: () => {
      const { phase, revision } = saver.state();
      return phase.is === "saved" ? revision : null;
    },
    onVersion: saver.subscribe,
    byItself,
    pauseMs,
  };
}

async function answerOf<Place>(surface: Surface<Place>, check: () => Promise<DocumentChecked>): Promise<Answer<Place>> {
  const tracker = surface.track();
  try {
    const [checked] = await Promise.all([check(), tracker.ready()]);
    return { checked, tracker };
  } catch (error) {
    tracker.end();
    throw error;
  }
}

/** Between two tries at most, where one after the other fails. */
const LONGEST_MS = 300_000;
/** Between a change and the next check at most, however long the last check took. */
const LONGEST_REST_MS = 10_000;

const NOTHING: Findings<never> = {
  checked: null,
  open: [],
  groups: [],
  suggestions: [],
  left: 0,
  reasons: [],
  isCurrent: false,
  pending: false,
  leaving: null,
  error: null,
};

export class LeakCheck<Place> {
  readonly #surface: Surface<Place>;
  readonly #checking: Checking<Place>;
  readonly #listeners = new Set<() => void>();
  /** Of each group that was left: how many findings it had, and why. */
  readonly #left = new Map<string, { count: number; why: string }>();
  #findings: Findings<Place> = NOTHING;
  #answer: Answer<Place> | null = null;
  #busy: AbortController | null = null;
  #error: Error | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the answer is about. */
  #seen: unknown = null;
  #tookMs = 0;
  #failed: { version: unknown; times: number } = { version: null, times: 0 };
  #announced = -1;
  #leaving: Leaving | null = null;

  constructor(surface: Surface<Place>, checking: Checking<Place>) {
    this.#surface = surface;
    this.#checking = checking;
  }

  readonly findings = (): Findings<Place> => this.#findings;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Checks from now on. Returns how to end that. */
  readonly start = (): (() => void) => {
    const stops = [this.#checking.onVersion(() => this.#changed()), this.#surface.onChange(() => this.#changed())];
    this.#changed();
    return () => {
      for (const stop of stops) stop();
      clearTimeout(this.#timer);
      this.#busy?.abort();
      this.#busy = null;
      this.#answer?.tracker.end();
      this.#answer = null;
      this.#seen = null;
    };
  };

  /** Checks at once, and says how that went. */
  readonly now = (): void => void this.#check(true);

  /** The places of these findings at this moment. */
  placesOf(findings: readonly OpenFinding<Place>[]): Place[] {
    return findings.flatMap((finding) => (finding.place && this.#answer?.tracker.place(finding)) ?? []);
  }

  /** Keeps what is typed where no change of the layout loses it. Null: nothing is left after all. */
  setLeaving(leaving: Leaving | null): void {
    this.#leaving = leaving;
    this.#findings = { ...this.#findings, leaving };
    for (const listener of [...this.#listeners]) listener();
  }

  /** All findings of these groups are meant to be there. `reason`: why; may be empty. */
  leave(groups: readonly Group<OpenFinding<Place>>[], reason: string): void {
    this.#leaving = null;
    for (const { key, first, all } of groups)
      this.#left.set(key, { count: all.length, why: reason && `${first.says}: ${reason}` });
    this.#tell();
  }

  /** Nothing is left any more. */
  takeBack(): void {
    this.#left.clear();
    this.#tell();
  }

  #changed(): void {
    this.#tell();
    clearTimeout(this.#timer);
    const version = this.#checking.version();
    if (this.#busy || !this.#checking.byItself || version === null || version === this.#seen) return;
    const tries = this.#failed.version === version ? this.#failed.times : 0;
    const waitMs = Math.min(LONGEST_MS, this.#checking.pauseMs * 2 ** tries);
    // As long as the last check took: a slow gateway is not kept busy by one author.
    this.#timer = setTimeout(() => void this.#check(false), Math.max(waitMs, Math.min(LONGEST_REST_MS, this.#tookMs)));
  }

  async #check(asked: boolean): Promise<void> {
    if (this.#busy) return;
    const abort = new AbortController();
    this.#busy = abort;
    const version = this.#checking.version();
    const began = performance.now();
    this.#tell();
    if (asked) announce(t`Checking for leaks`);
    try {
      const answer = await this.#checking.ask(abort.signal);
      if (abort.signal.aborted) return answer.tracker.end();
      this.#answer?.tracker.end();
      this.#answer = answer;
      this.#seen = answer.checked.revision ?? version;
      this.#error = null;
      this.#tookMs = performance.now() - began;
      // Only news is announced after a check that nobody asked for: there is one after each pause.
      if (asked || answer.checked.count !== Math.max(0, this.#announced)) announce(leakCheckText(answer.checked.count));
      this.#announced = answer.checked.count;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#failed = { version, times: this.#failed.version === version ? this.#failed.times + 1 : 1 };
      this.#error = asProblem(error);
    }
    this.#busy = null;
    this.#changed();
  }

  #tell(): void {
    this.#findings = this.#read();
    for (const listener of [...this.#listeners]) listener();
  }

  #read(): Findings<Place> {
    const state = { pending: this.#busy !== null, error: this.#error, leaving: this.#leaving };
    if (!this.#answer) return { ...NOTHING, ...state };
    const { checked, tracker } = this.#answer;
    const found = stillOpen(this.#surface, tracker, checked.findings);
    const isLeft = ({ key, all }: Group<OpenFinding<Place>>) => all.length <= (this.#left.get(key)?.count ?? 0);
    const all = groupFindings(found);
    const groups = all.filter((group) => !isLeft(group));
    const open = groups.length === all.length ? found : groups.flatMap((group) => group.all);
    const suggestions = groupFindings(stillOpen(this.#surface, tracker, checked.suggestions));
    return {
      ...state,
      checked,
      groups,
      suggestions,
      open,
      left: found.length - open.length,
      reasons: all.filter(isLeft).flatMap(({ key }) => this.#left.get(key)?.why || []),
      isCurrent: !this.#busy && this.#checking.version() === this.#seen,
    };
  }
}

/** The findings at their current places, without those that were marked or deleted. */
function stillOpen<Place>(
  surface: Surface<Place>,
  tracker: Tracker<Place>,
  findings: readonly FindingShown[],
): OpenFinding<Place>[] {
  const placed = findings.map((finding) => ({
    ...finding,
    place: finding.address === NAME_ADDRESS || finding.address === "" ? null : tracker.place(finding),
  }));
  const states = surface.states(placed.flatMap(({ place }) => place ?? []));
  let at = 0;
  return placed.filter(({ place, address, start, kind }) => {
    const state = place === null ? null : states[at++];
    if (kind === "sent" || start === null || address === NAME_ADDRESS) return true;
    return state !== null && state !== "marked";
  });
}
