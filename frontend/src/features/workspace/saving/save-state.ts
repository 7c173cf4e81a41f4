/**
 * Whether the gateway has a document's latest changes, and what follows from each event. Pure: no clock, no network.
 *
 * One thing is under way at a time: a save, a renaming, or a comparison with what somebody else saved. `Saver` does what
 * the phase says. A save is made on top of a revision. If the gateway has a newer one, the page compares it first: it
 * may be our own save whose answer was lost.
 */
import { type Problem, UNREACHABLE } from "@/api/problem";
import { waitMs } from "@/session/events";

/** How long after the last change it is saved. */
export const PAUSE_MS = 800;

/** A save that is not ours. */
export interface Theirs {
  readonly revision: number;
  readonly name: string;
  /** ISO 8601. */
  readonly changedAt: string;
}

export type Phase =
  /** The gateway has everything. */
  | { readonly is: "saved" }
  /** Something changed; it is saved at `dueAt`. */
  | { readonly is: "changed"; readonly dueAt: number }
  /** The text, or with `name` that name, is on its way. */
  | { readonly is: "saving"; readonly name: string | null }
  /** What the gateway has instead of our revision is being loaded. */
  | { readonly is: "comparing" }
  /** It did not get through, and is tried again at `dueAt`. */
  | { readonly is: "waiting"; readonly dueAt: number; readonly problem: Problem }
  | { readonly is: "signed-out" }
  /** Both sides changed it; somebody has to decide. */
  | { readonly is: "conflict"; readonly theirs: Theirs }
  /** The gateway does not take this text. */
  | { readonly is: "refused"; readonly problem: Problem }
  | { readonly is: "deleted" };

export interface SaveState {
  readonly phase: Phase;
  /** The save that the text here continues from. */
  readonly revision: number;
  /** The text changed since it was last sent. */
  readonly text: boolean;
  /** The name to give it. */
  readonly name: string | null;
  /** The newest revision that is known of. */
  readonly heard: number;
  /** Tries in a row that did not get through. */
  readonly attempts: number;
  /** Somebody waits for it. */
  readonly hurried: boolean;
}

export type SaveEvent =
  | { readonly is: "edited" }
  | { readonly is: "renamed"; readonly name: string }
  /** The time of `dueAt` has come. */
  | { readonly is: "due" }
  /** Save now. */
  | { readonly is: "hurried" }
  | { readonly is: "answered"; readonly revision: number }
  /** The save, renaming or comparison that is under way failed. */
  | { readonly is: "failed"; readonly problem: Problem }
  /** Somebody says that the document is at this revision. */
  | { readonly is: "heard"; readonly revision: number }
  | { readonly is: "compared"; readonly verdict: Verdict; readonly theirs: Theirs }
  | { readonly is: "deleted" }
  | { readonly is: "signed-in" }
  /** In a conflict: mine over theirs, or theirs, which is in the editor by now. */
  | { readonly is: "kept mine" }
  | { readonly is: "took theirs"; readonly revision: number }
  /** What is not saved is given up. */
  | { readonly is: "dropped" };

/**
 * What theirs is to ours. `sent`: our last save, whose answer was lost, and changed since; `same`: just what is
 * here; `taken`: nothing was changed here, and theirs is in the editor now; `conflict`: both changed.
 */
export type Verdict = "sent" | "same" | "taken" | "conflict";

export function opened(revision: number): SaveState {
  return { phase: { is: "saved" }, revision, text: false, name: null, heard: revision, attempts: 0, hurried: false };
}

/** Whether something would be lost if the page were closed now. */
export function isUnsaved({ phase, text, name }: SaveState): boolean {
  return text || name !== null || phase.is === "saving";
}

/** Whether nothing continues by itself in a moment: a save that was asked for is made, or was not possible. */
export function isSettled({ phase }: SaveState): boolean {
  return phase.is !== "changed" && phase.is !== "saving" && phase.is !== "comparing";
}

/** `now`: milliseconds; `random`: 0 to 1. */
export function next(state: SaveState, event: SaveEvent, now: number, random: number): SaveState {
  const { phase } = state;
  switch (event.is) {
    case "edited":
      return edited(state, now);
    case "renamed":
      return startIfFree({ ...state, name: event.name });
    case "due":
      return phase.is === "changed" || phase.is === "waiting" ? start(state) : state;
    case "hurried":
      return startIfFree({ ...state, hurried: true });
    case "answered":
      return answered(state, event.revision, now);
    case "failed":
      return failed(state, event.problem, now, random);
    case "heard":
      return heard(state, event.revision);
    case "compared":
      return compared(state, event.verdict, event.theirs, now);
    case "deleted":
      return { ...unsent(state), phase: { is: "deleted" } };
    case "signed-in":
      return phase.is === "signed-out" ? start(state) : state;
    case "kept mine":
      if (phase.is !== "conflict") return state;
      return start({ ...state, revision: phase.theirs.revision, text: true });
    case "took theirs":
      return settle({ ...state, revision: event.revision, heard: event.revision, text: false }, now);
    case "dropped":
      return { ...state, text: false, name: null, hurried: false, phase: { is: "saved" } };
  }
}

function edited(state: SaveState, now: number): SaveState {
  const changed = { ...state, text: true };
  const { is } = state.phase;
  // Every key puts the save off; a text that was refused may be taken now that it is another.
  if (is === "saved" || is === "changed" || is === "refused") {
    return { ...changed, phase: { is: "changed", dueAt: now + PAUSE_MS } };
  }
  return state.text ? state : changed;
}

/** Begins what there is to do, unless something is under way or somebody has to do something first. */
function startIfFree(state: SaveState): SaveState {
  const { is } = state.phase;
  return is === "saved" || is === "changed" || is === "waiting" || is === "refused" ? start(state) : state;
}

function start(state: SaveState): SaveState {
  if (state.heard > state.revision) return { ...state, phase: { is: "comparing" } };
  if (state.name !== null) return { ...state, phase: { is: "saving", name: state.name } };
  if (state.text) return { ...state, text: false, phase: { is: "saving", name: null } };
  return { ...state, hurried: false, phase: { is: "saved" } };
}

/** After something got through. */
function settle(state: SaveState, now: number): SaveState {
  const calm = { ...state, attempts: 0 };
  const waits = calm.text && calm.name === null && !calm.hurried && calm.heard <= calm.revision;
  return waits ? { ...calm, phase: { is: "changed", dueAt: now + PAUSE_MS } } : start(calm);
}

function answered(state: SaveState, revision: number, now: number): SaveState {
  const { phase } = state;
  if (phase.is !== "saving") return state;
  const name = state.name === phase.name ? null : state.name;
  return settle({ ...state, name, revision, heard: Math.max(state.heard, revision) }, now);
}

function heard(state: SaveState, revision: number): SaveState {
  if (revision <= state.heard) return state;
  const told = { ...state, heard: revision };
  const { is } = state.phase;
  // The answer of our own save tells whether this was that one.
  return is === "saving" || is === "comparing" || is === "signed-out" || is === "deleted" ? told : start(told);
}

function compared(state: SaveState, verdict: Verdict, theirs: Theirs, now: number): SaveState {
  if (state.phase.is !== "comparing") return state;
  const heard = Math.max(state.heard, theirs.revision);
  if (verdict === "conflict") return { ...state, heard, hurried: false, phase: { is: "conflict", theirs } };
  const name = state.name === theirs.name ? null : state.name;
  return settle({ ...state, heard, name, text: verdict === "sent", revision: theirs.revision }, now);
}

function failed(state: SaveState, problem: Problem, now: number, random: number): SaveState {
  const { phase } = state;
  if (phase.is !== "saving" && phase.is !== "comparing") return state;
  const kept = unsent(state);
  const { status } = problem;
  if (status === 412 && phase.is === "saving") {
    const revision = typeof problem.extra.revision === "number" ? problem.extra.revision : state.revision + 1;
    return { ...kept, heard: Math.max(state.heard, revision), phase: { is: "comparing" } };
  }
  if (status === 401) return { ...kept, phase: { is: "signed-out" } };
  if (mayPass(status)) {
    const asked = (problem.retryAfterS ?? 0) * 1000;
    const dueAt = now + Math.max(asked, waitMs(state.attempts, random));
    return { ...kept, attempts: state.attempts + 1, phase: { is: "waiting", dueAt, problem } };
  }
  // A name that is refused is given up; the text continues.
  if (phase.is === "saving" && phase.name !== null) {
    return settle({ ...kept, name: state.name === phase.name ? null : state.name }, now);
  }
  return { ...kept, hurried: false, phase: { is: "refused", problem } };
}

/** What was on its way is not there. */
function unsent(state: SaveState): SaveState {
  const { phase } = state;
  return phase.is === "saving" && phase.name === null ? { ...state, text: true } : state;
}

/** Whether the same may well succeed later. */
export function mayPass(status: number): boolean {
  return status === UNREACHABLE || status === 408 || status === 429 || status >= 500;
}
