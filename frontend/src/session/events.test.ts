import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type BrowserParts, type EventHandlers, type LiveEvent, listen, SILENCE_MS, waitMs } from "./events";

/** A stream whose server is the test. */
class FakeSource {
  closed = false;
  private heard = new Map<string, ((event: Event) => void)[]>();

  addEventListener = ((type: string, listener: (event: Event) => void) => {
    this.heard.set(type, [...(this.heard.get(type) ?? []), listener]);
  }) as EventSource["addEventListener"];

  close() {
    this.closed = true;
  }

  says(type: string, data: unknown = {}) {
    const event = type === "error" ? new Event("error") : new MessageEvent(type, { data: JSON.stringify(data) });
    for (const listener of this.heard.get(type) ?? []) listener(event);
  }
}

/** A browser with any number of tabs: one lock, one broadcast channel, every stream that was opened. */
function browser() {
  const sources: FakeSource[] = [];
  const channels = new Set<{ onmessage: ((event: MessageEvent) => void) | null }>();
  const waiting: (() => void)[] = [];
  let taken = false;

  const grant = () => {
    taken = false;
    waiting.shift()?.();
  };
  const request = (_name: string, options: { signal: AbortSignal }, work: () => Promise<unknown>) =>
    new Promise<unknown>((resolve, reject) => {
      const start = () => {
        taken = true;
        void work().then((value) => {
          resolve(value);
          grant();
        });
      };
      if (!taken) return start();
      waiting.push(start);
      options.signal.addEventListener("abort", () => {
        const place = waiting.indexOf(start);
        if (place >= 0) waiting.splice(place, 1);
        reject(options.signal.reason);
      });
    });

  const parts: BrowserParts = {
    open: () => {
      const source = new FakeSource();
      sources.push(source);
      return source as unknown as EventSource;
    },
    channel: () => {
      const mine = {
        onmessage: null as ((event: MessageEvent) => void) | null,
        postMessage: (data: unknown) => {
          for (const other of channels) if (other !== mine) other.onmessage?.(new MessageEvent("message", { data }));
        },
        close: () => channels.delete(mine),
      };
      channels.add(mine);
      return mine as unknown as BroadcastChannel;
    },
    locks: { request } as unknown as LockManager,
    random: () => 1,
  };
  return { parts, sources, latest: () => sources.at(-1) as FakeSource };
}

function tab(parts: BrowserParts) {
  const events: LiveEvent[] = [];
  const handlers: EventHandlers = {
    onEvent: (event) => events.push(event),
    onState: vi.fn(),
    onGap: vi.fn(),
    onBreak: vi.fn(),
  };
  const close = listen("ada", handlers, parts);
  return { events, ...handlers, close };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("one tab", () => {
  it("is live after the hello, and passes on events", () => {
    const { parts, latest } = browser();
    const one = tab(parts);
    expect(one.onState).not.toHaveBeenCalled();
    latest().says("hello");
    expect(one.onState).toHaveBeenLastCalledWith("live");
    expect(one.onGap).toHaveBeenCalledOnce();
    latest().says("draft", { id: "d1", revision: 2 });
    latest().says("inbox");
    expect(one.events).toEqual([
      { type: "draft", data: { id: "d1", revision: 2 } },
      { type: "inbox", data: {} },
    ]);
  });

  it("reopens the stream after an error, with growing waits, and reports a gap", () => {
    const { parts, sources, latest } = browser();
    const one = tab(parts);
    latest().says("hello");
    for (const [tries, wait] of [1000, 2000, 4000].entries()) {
      latest().says("error");
      expect(sources.at(-1)?.closed).toBe(true);
      expect(one.onState).toHaveBeenLastCalledWith("reconnecting");
      expect(one.onBreak).toHaveBeenCalledTimes(tries + 1);
      vi.advanceTimersByTime(wait - 1);
      expect(sources).toHaveLength(tries + 1);
      vi.advanceTimersByTime(1);
      expect(sources).toHaveLength(tries + 2);
    }
    latest().says("hello");
    expect(one.onState).toHaveBeenLastCalledWith("live");
    expect(one.onGap).toHaveBeenCalledTimes(2);
    latest().says("error");
    vi.advanceTimersByTime(1000);
    expect(sources).toHaveLength(5);
  });

  it("takes silence for a broken stream, and a ping for life", () => {
    const { parts, sources, latest } = browser();
    const one = tab(parts);
    latest().says("hello");
    vi.advanceTimersByTime(SILENCE_MS - 1);
    latest().says("ping");
    vi.advanceTimersByTime(SILENCE_MS - 1);
    expect(one.onBreak).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(one.onBreak).toHaveBeenCalledOnce();
    expect(sources[0]?.closed).toBe(true);
  });

  it("ignores events of a closed stream", () => {
    const { parts, sources } = browser();
    const one = tab(parts);
    sources[0]?.says("error");
    sources[0]?.says("inbox");
    sources[0]?.says("error");
    expect(one.events).toEqual([]);
    expect(one.onBreak).toHaveBeenCalledOnce();
  });

  it("opens nothing after it was closed", () => {
    const { parts, sources, latest } = browser();
    const one = tab(parts);
    latest().says("error");
    one.close();
    vi.advanceTimersByTime(120_000);
    expect(sources).toHaveLength(1);
  });

  it("does without locks and channels", () => {
    const { parts, latest } = browser();
    const one = tab({ ...parts, locks: null, channel: null });
    latest().says("hello");
    latest().says("inbox");
    expect(one.events).toHaveLength(1);
    one.close();
    expect(latest().closed).toBe(true);
  });
});

describe("several tabs", () => {
  it("share one stream", () => {
    const { parts, sources, latest } = browser();
    const [one, two] = [tab(parts), tab(parts)];
    expect(sources).toHaveLength(1);
    latest().says("hello");
    latest().says("inbox");
    expect(one.events).toHaveLength(1);
    expect(two.events).toHaveLength(1);
    expect(two.onGap).toHaveBeenCalledOnce();
    expect(two.onState).toHaveBeenLastCalledWith("live");
    latest().says("error");
    expect(two.onState).toHaveBeenLastCalledWith("reconnecting");
    expect(two.onBreak).not.toHaveBeenCalled();
  });

  it("tell a new one at once how things are", () => {
    const { parts, latest } = browser();
    tab(parts);
    latest().says("hello");
    const late = tab(parts);
    expect(late.onState).toHaveBeenLastCalledWith("live");
    expect(late.onGap).not.toHaveBeenCalled();
  });

  it("go on when the leading one is closed", async () => {
    const { parts, sources, latest } = browser();
    const [one, two, three] = [tab(parts), tab(parts), tab(parts)];
    latest().says("hello");
    two.close();
    one.close();
    expect(sources[0]?.closed).toBe(true);
    await vi.waitFor(() => expect(sources).toHaveLength(2), 30_000);
    latest().says("hello");
    latest().says("inbox");
    expect(three.events).toHaveLength(1);
    expect(three.onGap).toHaveBeenCalledTimes(2);
    expect(one.events).toEqual([]);
    expect(two.events).toEqual([]);
  });
});

it("waits at random between half and all of a doubling time, half a minute at most", () => {
  expect([0, 1, 2, 3].map((attempt) => waitMs(attempt, 1))).toEqual([1000, 2000, 4000, 8000]);
  expect(waitMs(3, 0)).toBe(4000);
  expect(waitMs(1000, 1)).toBe(30_000);
});
