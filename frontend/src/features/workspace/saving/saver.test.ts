import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Problem, unreachable } from "@/api/problem";
import type { DraftShown } from "@/api/types";
import { draftOf } from "@/test/drafts";
import { PAUSE_MS } from "./save-state";
import { Saver } from "./saver";

const draft = (revision: number, name = "report.txt") => draftOf({ document_id: `doc-${revision}`, revision, name });

const NO_TEXT = "\0";

/** Never the same object twice: what is the same only `equals` says. */
const content = (text: string) => ({ text });

/** A gateway with one document, and a page that shows it. */
function page(text = "first") {
  const gateway = { revision: 1, text, name: "report.txt" };
  const log: string[] = [];
  const state = { text, owner: true, fails: [] as (Problem | "lost")[], shown: null as DraftShown | null };
  const answer = async (revision: number, change: () => void) => {
    const fails = state.fails.shift();
    if (fails instanceof Problem) throw fails;
    if (revision !== gateway.revision) throw new Problem(412, "No.", { revision: gateway.revision });
    change();
    gateway.revision++;
    if (fails === "lost") throw unreachable(null);
    return draft(gateway.revision, gateway.name);
  };
  const saver = new Saver(
    { draft: draft(1), content: content(text) },
    {
      content: () => content(state.text),
      equals: (one, other) => one.text === other.text,
      size: ({ text }) => text.length,
      save: (revision, { text }) => {
        log.push(`save ${revision} ${text}`);
        return answer(revision, () => {
          gateway.text = text;
        });
      },
      rename: (revision, name) => {
        log.push(`rename ${revision} ${name}`);
        return answer(revision, () => {
          gateway.name = name;
        });
      },
      load: async () => {
        log.push("load");
        const { text } = gateway;
        return { draft: draft(gateway.revision, gateway.name), content: text === NO_TEXT ? null : content(text) };
      },
      take: (theirs) => {
        state.text = theirs.content?.text ?? "closed";
      },
      isOwner: async () => state.owner,
      onDraft: (shown) => {
        state.shown = shown;
      },
      onNameRefused: (problem) => log.push(`name refused: ${problem.detail}`),
    },
  );
  saver.start();
  const type = (more: string) => {
    state.text += more;
    saver.edited();
  };
  return { gateway, log, state, saver, type, phase: () => saver.state().phase.is };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test("saves once, a pause after the last change", async () => {
  const { gateway, log, state, type, phase } = page();
  await pass(60_000);
  expect(log).toEqual([]);
  type("a");
  await pass(PAUSE_MS - 1);
  type("b");
  await pass(PAUSE_MS - 1);
  expect(log).toEqual([]);
  await pass(1);
  expect(log).toEqual(["save 1 firstab"]);
  expect([gateway.text, phase(), state.shown?.revision]).toEqual(["firstab", "saved", 2]);
  await pass(60_000);
  expect(log.length).toBe(1);
});

test("what was undone again is not sent", async () => {
  const { log, state, saver, type, phase } = page();
  type("a");
  state.text = "first";
  saver.edited();
  await pass(PAUSE_MS);
  expect([log, phase()]).toEqual([[], "saved"]);
});

test("what this page cannot edit is taken where nothing is unsaved, and makes a conflict where something is", async () => {
  const { gateway, state, saver, phase } = page();
  Object.assign(gateway, { text: NO_TEXT, revision: 9 });
  saver.heard(9);
  await pass(0);
  expect([state.text, phase()]).toEqual(["closed", "saved"]);
  const other = page();
  other.type("a");
  Object.assign(other.gateway, { text: NO_TEXT, revision: 9 });
  await pass(60_000);
  expect([other.state.text, other.gateway.text, other.phase()]).toEqual(["firsta", NO_TEXT, "conflict"]);
  other.saver.keepMine();
  await pass(0);
  expect([other.gateway.text, other.phase()]).toEqual(["firsta", "saved"]);
});

test("a flush resolves when all of it is saved", async () => {
  const { log, saver, type } = page();
  type("a");
  const flushed = saver.flush();
  type("b");
  expect((await flushed).phase.is).toBe("saved");
  expect(log).toEqual(["save 1 firsta", "save 2 firstab"]);
  expect((await saver.flush()).phase.is).toBe("saved");
});

test("the gateway away and back: nothing is lost, nothing is saved twice", async () => {
  const { gateway, log, state, saver, type, phase } = page();
  state.fails = [unreachable(null), "lost"];
  type("a");
  await pass(PAUSE_MS);
  expect(phase()).toBe("waiting");
  await pass(999);
  expect(log.length).toBe(1);
  await pass(1);
  // It came through, but the answer did not.
  expect([gateway.text, phase()]).toEqual(["firsta", "waiting"]);
  type("b");
  saver.tryAgain();
  await pass(0);
  expect(log.slice(2)).toEqual(["save 1 firstab", "load"]);
  expect(phase()).toBe("changed");
  await pass(PAUSE_MS);
  expect([gateway.text, gateway.revision, phase()]).toEqual(["firstab", 3, "saved"]);
});

test("of long texts without an answer only the last is remembered: an older one that came through is asked about", async () => {
  const { gateway, state, saver, type, phase } = page("x".repeat(12_000_000));
  state.fails = ["lost", unreachable(null)];
  type("a");
  await pass(PAUSE_MS);
  type("b");
  saver.tryAgain();
  await pass(0);
  expect([gateway.revision, phase()]).toEqual([2, "waiting"]);
  type("c");
  saver.tryAgain();
  await pass(0);
  expect(phase()).toBe("conflict");
});

test("the same text sent again and again is remembered once", async () => {
  const { gateway, state, saver, type, phase } = page();
  state.fails = ["lost", ...Array.from({ length: 20 }, () => unreachable(null))];
  type("a");
  await pass(PAUSE_MS);
  type("b");
  for (let tries = 0; tries < 20; tries++) {
    saver.tryAgain();
    await pass(0);
  }
  expect(phase()).toBe("waiting");
  saver.tryAgain();
  await pass(PAUSE_MS);
  expect([gateway.text, phase()]).toEqual(["firstab", "saved"]);
});

test("signed out and in again", async () => {
  const { gateway, state, saver, type, phase } = page();
  state.fails = [new Problem(401, "No.")];
  type("a");
  await pass(60_000);
  expect(phase()).toBe("signed-out");
  type("b");
  saver.signedIn();
  await pass(0);
  expect([gateway.text, phase()]).toEqual(["firstab", "saved"]);
});

test("a 404 to somebody else says nothing of the document", async () => {
  const { state, saver, type, phase } = page();
  state.fails = [new Problem(404, "No."), new Problem(404, "No.")];
  state.owner = false;
  type("a");
  await pass(PAUSE_MS);
  expect(phase()).toBe("signed-out");
  await saver.heardDeleted();
  expect(phase()).toBe("signed-out");
  state.owner = true;
  saver.signedIn();
  await pass(0);
  expect(phase()).toBe("deleted");
});

test("theirs is taken quietly where nothing is unsaved", async () => {
  const { gateway, log, state, saver, phase } = page();
  Object.assign(gateway, { revision: 2, text: "theirs", name: "new.txt" });
  saver.heard(2);
  await pass(0);
  expect([state.text, state.shown?.name, phase(), log]).toEqual(["theirs", "new.txt", "saved", ["load"]]);
});

test("what is typed while theirs is loaded makes a conflict, and nothing is overwritten", async () => {
  const { gateway, state, saver, type, phase } = page();
  Object.assign(gateway, { revision: 2, text: "theirs" });
  saver.heard(2);
  type("a");
  await pass(60_000);
  expect([state.text, gateway.text, phase()]).toEqual(["firsta", "theirs", "conflict"]);
  saver.keepMine();
  await pass(0);
  expect([gateway.text, gateway.revision, phase()]).toEqual(["firsta", 3, "saved"]);
});

test("theirs instead of mine", async () => {
  const { gateway, state, saver, type, phase } = page();
  type("a");
  Object.assign(gateway, { revision: 2, text: "theirs" });
  await pass(PAUSE_MS);
  expect([state.text, phase()]).toEqual(["firsta", "conflict"]);
  saver.takeTheirs();
  await pass(60_000);
  expect([state.text, gateway.revision, phase()]).toEqual(["theirs", 2, "saved"]);
});

test("a rename over somebody else's save takes that first", async () => {
  const { gateway, log, state, saver, phase } = page();
  Object.assign(gateway, { revision: 2, text: "theirs" });
  saver.rename("mine.txt");
  await pass(0);
  expect(log).toEqual(["rename 1 mine.txt", "load", "rename 2 mine.txt"]);
  expect([state.text, gateway.name, phase()]).toEqual(["theirs", "mine.txt", "saved"]);
});

test("a refused name is reported", async () => {
  const { log, state, saver, phase } = page();
  state.fails = [new Problem(422, "Too long.")];
  saver.rename("bad");
  await pass(0);
  expect([log, phase()]).toEqual([["rename 1 bad", "name refused: Too long."], "saved"]);
});

test("stopped, it sends nothing more; started, it goes on", async () => {
  const { log, saver, type } = page();
  type("a");
  saver.stop();
  await pass(60_000);
  expect(log).toEqual([]);
  saver.start();
  await pass(0);
  expect(log).toEqual(["save 1 firsta"]);
});
