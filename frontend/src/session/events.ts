/**
 * The gateway's events: one stream of server-sent events for each browser, shared by its tabs.
 *
 * The tab that holds a lock leads: it keeps the stream open and relays each event to the others over a broadcast
 * channel. When it closes, the next tab in the lock's queue leads. Without locks (HTTP from another host), each tab
 * leads for itself. The browser's own reconnection gives up after an HTTP error; so this module closes the stream on
 * every error and opens it again after a growing, random wait.
 *
 * Events are not replayed. Whenever a stream begins, some may be missing, and `onGap` is called.
 */
import type { ProgressShown } from "@/api/types";

/** The data of each type of event. `draft`: the revision is null after a deletion. `timings`: for admins. */
export interface LiveData {
  transfer: ProgressShown;
  inbox: Record<string, never>;
  draft: { id: string; revision: number | null };
  timings: Record<string, never>;
}

export type LiveEvent = { [Type in keyof LiveData]: { type: Type; data: LiveData[Type] } }[keyof LiveData];

/** `connecting`: before the first stream begins. */
export type LiveState = "connecting" | "live" | "reconnecting";

export interface EventHandlers {
  onEvent: (event: LiveEvent) => void;
  onState: (state: LiveState) => void;
  /** A stream has begun, so data loaded before may be out of date. Called in every tab. */
  onGap: () => void;
  /** The stream broke, perhaps because the session ended. Called in the leading tab only. */
  onBreak: () => void;
}

type Source = Pick<EventSource, "addEventListener" | "close">;
type Channel = Pick<BroadcastChannel, "postMessage" | "onmessage" | "close">;

/** The parts of the browser in use; tests replace them. */
export interface BrowserParts {
  open: (url: string) => Source;
  channel: ((name: string) => Channel) | null;
  locks: Pick<LockManager, "request"> | null;
  /** 0 to 1. */
  random: () => number;
}

type Relayed = { is: "event"; event: LiveEvent } | { is: "state"; state: LiveState } | { is: "gap" } | { is: "who" };

const URL = "/api/v1/events";
const EVENT_TYPES = ["transfer", "inbox", "draft", "timings"] as const;
/** The gateway pings about every 20 s. After two missing pings the stream counts as broken. */
export const SILENCE_MS = 50_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** The wait before attempt `attempt` (from 0): between half and all of a time that doubles, at most 30 s. */
export function waitMs(attempt: number, random: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 10)) * (0.5 + random / 2);
}

/**
 * Listens until the returned function is called. `whose`: the person, because tabs of different people share nothing.
 */
export function listen(whose: string, handlers: EventHandlers, parts: BrowserParts = browserParts()): () => void {
  const ended = new AbortController();
  const channel = parts.locks && parts.channel ? parts.channel(`sieve-events-${whose}`) : null;
  let state: LiveState = "connecting";
  let leads = false;

  const take = (relayed: Relayed) => {
    if (relayed.is === "event") handlers.onEvent(relayed.event);
    else if (relayed.is === "gap") handlers.onGap();
    else if (relayed.is === "state") {
      state = relayed.state;
      handlers.onState(state);
    }
  };
  const publish = (relayed: Relayed) => {
    take(relayed);
    channel?.postMessage(relayed);
  };
  const lead = () => {
    leads = true;
    return stream(parts, ended.signal, publish, handlers.onBreak);
  };

  if (channel && parts.locks) {
    channel.onmessage = ({ data }: MessageEvent<Relayed>) => {
      if (data.is !== "who") take(data);
      else if (leads) channel.postMessage({ is: "state", state } satisfies Relayed);
    };
    channel.postMessage({ is: "who" } satisfies Relayed);
    parts.locks.request(`sieve-events-${whose}`, { signal: ended.signal }, lead).catch(() => {
      // Only our own abort rejects.
    });
  } else {
    void lead();
  }
  return () => {
    ended.abort();
    channel?.close();
  };
}

/** Keeps a stream open until `ended`; resolves then. */
function stream(
  parts: BrowserParts,
  ended: AbortSignal,
  publish: (relayed: Relayed) => void,
  onBreak: () => void,
): Promise<void> {
  let attempt = 0;
  let source: Source | null = null;
  let timer: ReturnType<typeof setTimeout>;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const broken = () => {
    close();
    publish({ is: "state", state: "reconnecting" });
    timer = setTimeout(connect, waitMs(attempt, parts.random()));
    attempt += 1;
    onBreak();
  };
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(broken, SILENCE_MS);
  };
  const connect = () => {
    const opened = parts.open(URL);
    source = opened;
    alive();
    // Ignores events of a closed source.
    const on = (type: string, heard: (event: Event) => void) =>
      opened.addEventListener(type, (event) => source === opened && heard(event));
    on("hello", () => {
      attempt = 0;
      alive();
      publish({ is: "state", state: "live" });
      publish({ is: "gap" });
    });
    on("ping", alive);
    on("error", broken);
    for (const type of EVENT_TYPES) {
      on(type, (event) => {
        alive();
        publish({ is: "event", event: { type, data: JSON.parse((event as MessageEvent<string>).data) } });
      });
    }
  };

  if (ended.aborted) return Promise.resolve();
  connect();
  return new Promise((resolve) => {
    ended.addEventListener("abort", () => {
      close();
      resolve();
    });
  });
}

function browserParts(): BrowserParts {
  return {
    open: (url) => new EventSource(url),
    channel: typeof BroadcastChannel === "undefined" ? null : (name) => new BroadcastChannel(name),
    locks: navigator.locks ?? null,
    random: Math.random,
  };
}
