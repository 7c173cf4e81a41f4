/**
 * What measures in the page. A time, but for a key's, is that of the frame in which something can be seen: the page's script runs before
 * the frame is painted, a message that it sends itself comes after.
 */
import { setTimeout } from "node:timers/promises";
import type { Page } from "@playwright/test";

type Probe = {
  /** Resolves after the next frame was painted. */
  frame: () => Promise<number>;
  /** Resolves once an element is there and was painted. */
  shown: (selector: string) => Promise<number>;
  /** Resolves once something in the element changed and that was painted. */
  changed: (selector: string) => Promise<number>;
  /** When the text was painted first, counted from the page's navigation. */
  firstText: Promise<number>;
  /** Of each key since the last look, as the browser times it: from the key to when the frame that shows it is there. */
  keys: number[];
  /** When the last key or click was made. */
  last: number;
};

declare global {
  interface Window {
    probe: Probe;
  }
}

/** The editor's text, once there is some. */
export const TEXT = "[aria-label='Text of the document'] .line";
/** That of the editor of long texts: in its place, and in its shadow root. */
export const LONG_TEXT = "[data-long-text] >>> .cm-line";

/** Before the page is opened. `text`: what is there once the text is; of a shadow root, its host >>> what is in it. */
export async function install(page: Page, text = TEXT): Promise<void> {
  await page.addInitScript((text: string) => {
    const frame = () =>
      new Promise<number>((resolve) => {
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => resolve(performance.now());
          channel.port2.postMessage(null);
        });
      });
    const when = (node: Node, holds: () => boolean) =>
      new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => {
          if (!holds()) return;
          observer.disconnect();
          resolve(frame());
        });
        observer.observe(node, { childList: true, characterData: true, subtree: true });
      });
    const isThere = (selector: string) => {
      const [host = "", inner] = selector.split(" >>> ");
      const there = document.querySelector(host);
      return inner === undefined ? there !== null : there?.shadowRoot?.querySelector(inner) != null;
    };
    const shown = (selector: string) => when(document, () => isThere(selector));
    const changed = (selector: string) => {
      const element = document.querySelector(selector);
      if (!element) throw new Error(`there is no ${selector} to watch`);
      return when(element, () => true);
    };
    const keys: number[] = [];
    // The browser's own timing. A message that a frame sends itself says nothing here: while keys come one after the
    // other it is not delivered, though every frame is painted.
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === "keydown") keys.push(duration);
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    window.probe = { frame, shown, changed, firstText: shown(text), keys, last: 0 };
    const note = (event: Event) => {
      window.probe.last = event.timeStamp;
    };
    addEventListener("click", note, { capture: true });
    addEventListener("keydown", note, { capture: true });
  }, text);
}

/** Until nothing has been going on for a while: frames follow each other without delay. Five seconds at most. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const latest = performance.now() + 5000;
    for (let quiet = 0; quiet < 20 && performance.now() < latest; ) {
      const before = performance.now();
      quiet = (await window.probe.frame()) - before < 50 ? quiet + 1 : 0;
    }
  });
}

/** The cursor into the text that is half-way down, in plain text. */
export async function goToMiddle(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight / 2));
  await settle(page);
  const text = await page.getByLabel("Text of the document").boundingBox();
  if (!text) throw new Error("the text of the document is not to be seen");
  await page.mouse.click(text.x + text.width / 3, 400);
  await settle(page);
}

/** Milliseconds from the click that `act` makes until `selector` is there and painted. */
export async function untilShown(page: Page, selector: string, act: () => Promise<void>): Promise<number> {
  const seen = await page.evaluateHandle((wanted) => ({ at: window.probe.shown(wanted) }), selector);
  await act();
  return seen.evaluate(async ({ at }) => (await at) - window.probe.last);
}

/** Milliseconds from the key that `act` presses until something within `selector` has changed and is painted. */
export async function untilChanged(page: Page, selector: string, act: () => Promise<void>): Promise<number> {
  const seen = await page.evaluateHandle((wanted) => ({ at: window.probe.changed(wanted) }), selector);
  await act();
  return seen.evaluate(async ({ at }) => (await at) - window.probe.last);
}

/** A frame: what is shown within one the browser does not tell apart. */
const FRAME_MS = 16;

/**
 * Types that many letters, 30 a second, which is as fast as a key repeats that is held down; milliseconds from each to the
 * frame that shows it, to 8 ms.
 */
export async function type(page: Page, count: number): Promise<number[]> {
  await page.evaluate(() => window.probe.keys.splice(0));
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const early = start + index * KEY_MS - performance.now();
    if (early > 0) await setTimeout(early);
    await page.keyboard.press("abcdefghij".charAt(index % 10));
  }
  await settle(page);
  const late = await page.evaluate(() => window.probe.keys.splice(0));
  return [...late, ...Array<number>(Math.max(0, count - late.length)).fill(FRAME_MS)];
}

const KEY_MS = 1000 / 30;

/**
 * Scrolls what `selector` finds by so many pixels in each frame; milliseconds from each frame to the next. The element is
 * in the shadow root of `host`.
 */
export async function scroll(
  page: Page,
  host: string,
  selector: string,
  pixels: number,
  ms: number,
): Promise<number[]> {
  return page.evaluate(
    async ([host, selector, pixels, ms]) => {
      const scroller = document.querySelector(host)?.shadowRoot?.querySelector(selector);
      if (!scroller) throw new Error(`there is no ${selector} to scroll`);
      const frames: number[] = [];
      const next = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
      const start = await next();
      for (let before = start; before - start < ms; ) {
        scroller.scrollTop += pixels;
        const now = await next();
        frames.push(now - before);
        before = now;
      }
      return frames;
    },
    [host, selector, pixels, ms] as const,
  );
}

/**
 * Processor time of the page's main thread while `act` is under way, in milliseconds: what it takes however busy the
 * machine is. Without what the gateway and the painting take.
 */
export async function processorTime(page: Page, act: () => Promise<unknown>): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const taken = async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
  const before = await taken();
  await act();
  const after = await taken();
  await devtools.detach();
  return after - before;
}

type TraceEvent = { name: string; pid: number; tid: number; tdur?: number; args: { name?: string } };

/** Processor time of each task of the pages' main threads while `act` is under way, in milliseconds, the longest first. */
export async function taskTimes(page: Page, act: () => Promise<unknown>): Promise<number[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error("the page has no browser to be traced");
  const devtools = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  devtools.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const ended = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  const traceConfig = { includedCategories: ["toplevel", "__metadata"] };
  await devtools.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  await act();
  await devtools.send("Tracing.end");
  await ended;
  await devtools.detach();
  const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(
    events.flatMap((event) =>
      event.name === "thread_name" && event.args.name === "CrRendererMain" ? thread(event) : [],
    ),
  );
  return events
    .flatMap((event) =>
      event.name === "ThreadControllerImpl::RunTask" && mains.has(thread(event)) ? (event.tdur ?? 0) / 1000 : [],
    )
    .sort((one, other) => other - one);
}
