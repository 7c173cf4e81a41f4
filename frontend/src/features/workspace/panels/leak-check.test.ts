// @vitest-environment jsdom
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { DocumentChecked } from "@/api/findings";
import { Problem } from "@/api/problem";
import { type Checking, LeakCheck } from "./leak-check";
import type { Hit, Surface } from "./surface";

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

const answer = (...starts: number[]): DocumentChecked => ({
  ...{ revision: null, count: starts.length, kinds: {}, digest: "", more: false, rule: "confirm", suggestions: [] },
  findings: starts.map((start) => ({
    ...{
      id: `${start}`,
      kind: "phrase",
      group: start < 50 ? "low" : "high",
      says: "Heron",
      excerpt: "",
      travels_plain: true,
    },
    ...{ address: "text", start, end: start + 5 },
  })),
});

/** A document of which each edit moves all places by one. */
function checked(ask: (version: number) => Promise<DocumentChecked>, byItself = true) {
  let version = 0;
  const marked = new Set<number>();
  const listeners = new Set<() => void>();
  const asked: number[] = [];
  const surface: Surface<number> = {
    order: () => 0,
    states: (places) => places.map((place) => (marked.has(place) ? "marked" : "plain")),
    mark: (places) => {
      for (const place of places) marked.add(place);
      change();
    },
    unmark: () => {},
    select: () => {},
    highlight: () => {},
    underline: () => {},
    reveal: () => () => {},
    track: () => {
      const since = version;
      return {
        ready: async () => {},
        place: ({ start }: Hit) => (start === null ? null : start + version - since),
        isSameText: () => version === since,
        end: () => {},
      };
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = () => {
    for (const listener of listeners) listener();
  };
  const checking: Checking<number> = {
    ask: async () => {
      asked.push(version);
      const tracker = surface.track();
      return { checked: await ask(version), tracker };
    },
    version: () => version,
    onVersion: surface.onChange,
    byItself,
    pauseMs: 100,
  };
  const leaks = new LeakCheck(surface, checking);
  const stop = leaks.start();
  onTestFinished(stop);
  const places = () => leaks.findings().open.map(({ place }) => place);
  const edit = () => {
    version++;
    change();
  };
  return { leaks, surface, asked, places, edit, stop };
}

test("it checks once typing pauses; until the answer the old findings stay, and move along", async () => {
  let slow: ((checked: DocumentChecked) => void) | null = null;
  const { leaks, asked, places, edit } = checked(async (version) =>
    version === 0 ? answer(10) : new Promise((resolve) => (slow = resolve)),
  );
  await vi.advanceTimersByTimeAsync(100);
  expect([places(), leaks.findings().isCurrent]).toEqual([[10], true]);
  for (const _ of "letters") {
    edit();
    await vi.advanceTimersByTimeAsync(90);
  }
  expect(asked).toEqual([0]);
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toEqual([0, 7]);
  expect([places(), leaks.findings().pending, leaks.findings().isCurrent]).toEqual([[17], true, false]);
  // Changed while the gateway checks: its answer is moved along, and the next check follows.
  edit();
  await vi.advanceTimersByTimeAsync(1000);
  expect([places(), asked]).toEqual([[18], [0, 7]]);
  (slow as unknown as (checked: DocumentChecked) => void)(answer(17, 60));
  await vi.advanceTimersByTimeAsync(0);
  expect(places()).toEqual([18, 61]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(asked).toEqual([0, 7, 8]);
});

test("a finding that is marked is gone at once", async () => {
  const { leaks, surface, places } = checked(async () => answer(10, 20, 60));
  await vi.advanceTimersByTimeAsync(100);
  surface.mark(leaks.placesOf(leaks.findings().groups[0]?.all ?? []), "");
  expect(places()).toEqual([60]);
});

test("findings that are left stay left until there are more of them", async () => {
  let starts = [10, 20, 60];
  const { leaks, places, edit } = checked(async () => answer(...starts));
  await vi.advanceTimersByTimeAsync(100);
  const [low] = leaks.findings().groups;
  if (low) leaks.leave([low], "a bird");
  expect([places(), leaks.findings().left, leaks.findings().reasons]).toEqual([[60], 2, ["Heron: a bird"]]);
  starts = [10, 20];
  edit();
  await vi.advanceTimersByTimeAsync(100);
  expect(places()).toEqual([]);
  starts = [10, 20, 30];
  edit();
  await vi.advanceTimersByTimeAsync(100);
  expect(places()).toEqual([10, 20, 30]);
  const [more] = leaks.findings().groups;
  if (more) leaks.leave([more], "");
  leaks.takeBack();
  expect([places(), leaks.findings().left, leaks.findings().reasons]).toEqual([[10, 20, 30], 0, []]);
});

test("a check that fails is tried again, each time later", async () => {
  const { asked } = checked(async () => {
    throw new Problem(503, "The gateway is busy.");
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(asked.length).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(asked.length).toBe(2);
  await vi.advanceTimersByTimeAsync(399);
  expect(asked.length).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked.length).toBe(3);
  await vi.advanceTimersByTimeAsync(1_000_000);
  // Five minutes at most lie between two tries.
  expect(asked.length).toBeGreaterThan(12);
});

test("the error of an automatic check stays until a check succeeds", async () => {
  const down = new Problem(503, "The gateway is busy.");
  let ask = async () => answer();
  const { leaks, edit } = checked(() => ask());
  await vi.advanceTimersByTimeAsync(100);
  expect(leaks.findings().error).toBeNull();
  ask = () => Promise.reject(down);
  edit();
  expect(leaks.findings().error).toBeNull();
  await vi.advanceTimersByTimeAsync(100);
  expect(leaks.findings()).toMatchObject({ error: down, isCurrent: false, pending: false });
  edit();
  expect(leaks.findings().error).toBe(down);
  let slow: ((checked: DocumentChecked) => void) | null = null;
  ask = () => new Promise((resolve) => (slow = resolve));
  await vi.advanceTimersByTimeAsync(200);
  expect(leaks.findings()).toMatchObject({ error: down, pending: true });
  (slow as unknown as (checked: DocumentChecked) => void)(answer());
  await vi.advanceTimersByTimeAsync(0);
  expect(leaks.findings()).toMatchObject({ error: null, isCurrent: true });
});

test("a check that failed late is tried again soon", async () => {
  const { asked } = checked(async () => {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    throw new Problem(0, "Cannot reach the gateway.");
  });
  await vi.advanceTimersByTimeAsync(60_100);
  expect(asked.length).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(asked.length).toBe(2);
});

test("after a slow check the next one waits ten seconds at most", async () => {
  const { asked, edit } = checked(async () => {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return answer();
  });
  await vi.advanceTimersByTimeAsync(60_100);
  edit();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(asked).toEqual([0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual([0, 1]);
});

test("a document that is checked only when asked has a current answer until it changes", async () => {
  const { leaks, asked, edit } = checked(async () => answer(), false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toEqual([]);
  leaks.now();
  await vi.advanceTimersByTimeAsync(0);
  expect([asked, leaks.findings().isCurrent]).toEqual([[0], true]);
  edit();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([asked, leaks.findings().isCurrent]).toEqual([[0], false]);
});

test("it checks only what is new, and nothing once it is stopped", async () => {
  const { asked, edit, stop } = checked(async () => answer());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toEqual([0]);
  edit();
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toEqual([0]);
});
