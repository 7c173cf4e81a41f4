import { expect, test } from "vitest";
import { Problem, UNREACHABLE } from "@/api/problem";
import {
  isSettled,
  isUnsaved,
  next,
  opened,
  PAUSE_MS,
  type SaveEvent,
  type SaveState,
  type Theirs,
} from "./save-state";

const NOW = 1_000;
const theirs = (revision: number, name = "n"): Theirs => ({ revision, name, changedAt: "2026-11-21T10:00:00Z" });
const problem = (status: number, extra = {}) => new Problem(status, "No.", extra);
const failed = (status: number, extra = {}): SaveEvent => ({ is: "failed", problem: problem(status, extra) });

function after(...events: SaveEvent[]): SaveState {
  return events.reduce((state, event) => next(state, event, NOW, 0), opened(1));
}

const edited: SaveEvent = { is: "edited" };
const due: SaveEvent = { is: "due" };
const answered = (revision: number): SaveEvent => ({ is: "answered", revision });
const heard = (revision: number): SaveEvent => ({ is: "heard", revision });
const compared = (verdict: "sent" | "same" | "taken" | "conflict", revision: number): SaveEvent => ({
  is: "compared",
  verdict,
  theirs: theirs(revision),
});

test("opening saves nothing, nor does asking for a save then", () => {
  for (const state of [after(), after({ is: "hurried" }), after(heard(1)), after(due)]) {
    expect(state.phase).toEqual({ is: "saved" });
    expect(isUnsaved(state)).toBe(false);
    expect(isSettled(state)).toBe(true);
  }
});

test("a change is saved after a pause, and each change puts that off", () => {
  const changed = after(edited);
  expect(changed.phase).toEqual({ is: "changed", dueAt: NOW + PAUSE_MS });
  expect(next(changed, edited, NOW + 500, 0).phase).toEqual({ is: "changed", dueAt: NOW + 500 + PAUSE_MS });
  const saving = next(changed, due, NOW, 0);
  expect(saving).toMatchObject({ phase: { is: "saving", name: null }, text: false });
  expect(isUnsaved(saving)).toBe(true);
  expect(next(saving, answered(2), NOW, 0)).toMatchObject({ phase: { is: "saved" }, revision: 2 });
});

test("one save at a time: what changes meanwhile is saved after it", () => {
  const meanwhile = after(edited, due, edited);
  expect(meanwhile.phase).toEqual({ is: "saving", name: null });
  const state = next(meanwhile, answered(2), NOW, 0);
  expect(state).toMatchObject({ phase: { is: "changed", dueAt: NOW + PAUSE_MS }, revision: 2, text: true });
});

test("who waits for the save gets all of it", () => {
  expect(after(edited, { is: "hurried" }).phase.is).toBe("saving");
  const state = after(edited, due, edited, { is: "hurried" }, answered(2));
  expect(state.phase).toEqual({ is: "saving", name: null });
  expect(next(state, answered(3), NOW, 0)).toMatchObject({ phase: { is: "saved" }, hurried: false });
});

test("a name goes at once, before the text, and only when nothing is under way", () => {
  const renaming = after(edited, { is: "renamed", name: "new" });
  expect(renaming.phase).toEqual({ is: "saving", name: "new" });
  expect(next(renaming, answered(2), NOW, 0)).toMatchObject({ phase: { is: "changed" }, name: null, text: true });
  const later = after(edited, due, { is: "renamed", name: "new" });
  expect(later.phase).toEqual({ is: "saving", name: null });
  expect(next(later, answered(2), NOW, 0).phase).toEqual({ is: "saving", name: "new" });
  const again = after({ is: "renamed", name: "one" }, { is: "renamed", name: "two" }, answered(2));
  expect(again.phase).toEqual({ is: "saving", name: "two" });
});

test("a name that is refused is given up, and the text goes on", () => {
  const state = after(edited, { is: "renamed", name: "bad" }, failed(422));
  expect(state).toMatchObject({ phase: { is: "changed" }, name: null, text: true });
});

test("what does not get through is tried again, after waits that grow", () => {
  const waits: number[] = [];
  let state = after(edited, due);
  for (let times = 0; times < 7; times++) {
    state = next(state, failed(UNREACHABLE), NOW, 1);
    if (state.phase.is === "waiting") waits.push(state.phase.dueAt - NOW);
    expect(isUnsaved(state)).toBe(true);
    state = next(state, due, NOW, 1);
    expect(state.phase.is).toBe("saving");
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(next(state, answered(2), NOW, 1)).toMatchObject({ phase: { is: "saved" }, attempts: 0 });
});

test("the gateway's own wish to wait is kept", () => {
  const busy: SaveEvent = { is: "failed", problem: new Problem(429, "Slowly.", {}, 60) };
  expect(after(edited, due, busy).phase).toMatchObject({ is: "waiting", dueAt: NOW + 60_000 });
});

test("typing while it waits changes nothing but what there is to save", () => {
  const waiting = after(edited, due, failed(UNREACHABLE));
  expect(next(waiting, edited, NOW + 1, 0).phase).toBe(waiting.phase);
  expect(next(waiting, { is: "hurried" }, NOW, 0).phase.is).toBe("saving");
});

test("signed out: it stays, and goes on after signing in", () => {
  const state = after(edited, due, failed(401), edited, heard(5), { is: "hurried" });
  expect(state).toMatchObject({ phase: { is: "signed-out" }, text: true });
  expect(next(state, { is: "signed-in" }, NOW, 0).phase.is).toBe("comparing");
  expect(after(edited, due, failed(401), { is: "signed-in" }).phase.is).toBe("saving");
});

test("a text that is refused stays until it is another, or somebody asks", () => {
  const refused = after(edited, due, failed(413));
  expect(refused).toMatchObject({ phase: { is: "refused" }, text: true });
  expect(next(refused, due, NOW, 0)).toBe(refused);
  expect(next(refused, edited, NOW, 0).phase.is).toBe("changed");
  expect(next(refused, { is: "hurried" }, NOW, 0).phase.is).toBe("saving");
});

test("somebody else's save is compared; where nothing was changed it is taken", () => {
  const comparing = after(heard(2));
  expect(comparing.phase.is).toBe("comparing");
  expect(next(comparing, compared("taken", 2), NOW, 0)).toMatchObject({
    phase: { is: "saved" },
    revision: 2,
    text: false,
  });
});

test("the word of our own save is no news, before its answer or after", () => {
  expect(after(edited, due, heard(2), answered(2))).toMatchObject({ phase: { is: "saved" }, revision: 2 });
  expect(after(edited, due, answered(2), heard(2)).phase.is).toBe("saved");
  expect(after(edited, due, heard(3), answered(2)).phase.is).toBe("comparing");
});

test("a save whose answer was lost is no conflict", () => {
  const again = after(edited, due, failed(UNREACHABLE), due, failed(412, { revision: 2 }));
  expect(again).toMatchObject({ phase: { is: "comparing" }, heard: 2 });
  expect(next(again, compared("same", 2), NOW, 0)).toMatchObject({ phase: { is: "saved" }, revision: 2, text: false });
  expect(next(again, compared("sent", 2), NOW, 0)).toMatchObject({ phase: { is: "changed" }, revision: 2, text: true });
});

test("both changed it: somebody decides", () => {
  const conflict = after(edited, due, failed(412, { revision: 4 }), compared("conflict", 4));
  expect(conflict).toMatchObject({ phase: { is: "conflict", theirs: { revision: 4 } }, text: true });
  for (const event of [edited, due, { is: "hurried" }, { is: "signed-in" }] as SaveEvent[]) {
    expect(next(conflict, event, NOW, 0).phase).toBe(conflict.phase);
  }
  const mine = next(conflict, { is: "kept mine" }, NOW, 0);
  expect(mine).toMatchObject({ phase: { is: "saving" }, revision: 4 });
  expect(next(mine, answered(5), NOW, 0)).toMatchObject({ phase: { is: "saved" }, revision: 5 });
  expect(next(conflict, { is: "took theirs", revision: 4 }, NOW, 0)).toMatchObject({
    phase: { is: "saved" },
    revision: 4,
    text: false,
  });
  expect(next(conflict, heard(6), NOW, 0).phase.is).toBe("comparing");
});

test("the gateway goes while we compare: it compares again", () => {
  const waiting = after(edited, due, failed(412, { revision: 2 }), failed(503));
  expect(waiting).toMatchObject({ phase: { is: "waiting" }, text: true });
  expect(next(waiting, due, NOW, 0).phase.is).toBe("comparing");
});

test("deleted elsewhere: nothing is sent any more, and what was not saved is still there", () => {
  const gone = after(edited, due, { is: "deleted" });
  expect(gone).toMatchObject({ phase: { is: "deleted" }, text: true });
  expect(isUnsaved(gone)).toBe(true);
  for (const event of [edited, due, { is: "hurried" }, heard(9), answered(2)] as SaveEvent[]) {
    expect(next(gone, event, NOW, 0).phase.is).toBe("deleted");
  }
  expect(isUnsaved(after({ is: "deleted" }))).toBe(false);
  expect(isUnsaved(next(gone, { is: "dropped" }, NOW, 0))).toBe(false);
});
