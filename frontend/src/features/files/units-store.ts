/**
 * The units of a file, loaded page by page in reading order. Loading pauses after as many as a browser handles well, and
 * continues on request.
 */
import { useSyncExternalStore } from "react";
import type { FileSource } from "@/api/file-source";
import type { Unit } from "@/api/files";
import { codePoints } from "@/lib/code-points";

const PAGE = 500;
/** Loaded before it pauses. */
const MOST = 20_000;

export interface Loaded {
  readonly units: readonly Unit[];
  readonly is: "waiting" | "loading" | "paused" | "done" | "failed";
  readonly error: unknown;
}

export class UnitsStore {
  readonly #source: FileSource;
  readonly #listeners = new Set<() => void>();
  readonly #byAddress = new Map<string, Unit>();
  #loaded: Loaded = { units: [], is: "waiting", error: null };
  #next: string | null = null;
  #until = MOST;
  #gone: AbortController | null = null;

  constructor(source: FileSource) {
    this.#source = source;
  }

  readonly loaded = (): Loaded => this.#loaded;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly unit = (address: string): Unit | null => this.#byAddress.get(address) ?? null;

  readonly lengthOf = (address: string): number | null => {
    const unit = this.#byAddress.get(address);
    return unit ? codePoints(unit.text) : null;
  };

  /** Starts, or continues after it paused or failed. */
  start(): void {
    if (this.#loaded.is === "done" || this.#loaded.is === "loading") return;
    if (this.#loaded.is === "paused") this.#until = this.#loaded.units.length + MOST;
    void this.#load();
  }

  stop(): void {
    this.#gone?.abort();
    this.#gone = null;
    if (this.#loaded.is === "loading") this.#turn({ ...this.#loaded, is: "waiting" });
  }

  /** Loads until the unit at this address is there; false if the file has none. */
  async reach(address: string): Promise<boolean> {
    while (!this.#byAddress.has(address)) {
      if (this.#loaded.is === "done" || this.#loaded.is === "failed") return false;
      this.start();
      await new Promise<void>((resolve) => {
        const stop = this.subscribe(() => {
          stop();
          resolve();
        });
      });
      // The page was left: do not start again.
      if (this.#loaded.is === "waiting") return false;
    }
    return true;
  }

  /** Loads until it is done, or pauses or fails. */
  async settled(): Promise<void> {
    if (this.#loaded.is === "waiting") this.start();
    while (this.#loaded.is === "loading") {
      await new Promise<void>((resolve) => {
        const stop = this.subscribe(() => {
          stop();
          resolve();
        });
      });
    }
  }

  async #load(): Promise<void> {
    const gone = new AbortController();
    this.#gone = gone;
    this.#turn({ ...this.#loaded, is: "loading", error: null });
    try {
      for (;;) {
        const { units, next } = await this.#source.units(this.#next, PAGE, gone.signal);
        if (gone.signal.aborted) return;
        for (const unit of units) this.#byAddress.set(unit.address, unit);
        this.#next = next;
        const all = [...this.#loaded.units, ...units];
        const is = next === null ? "done" : all.length >= this.#until ? "paused" : "loading";
        this.#turn({ units: all, is, error: null });
        if (is !== "loading") return;
      }
    } catch (error) {
      if (!gone.signal.aborted) this.#turn({ ...this.#loaded, is: "failed", error });
    }
  }

  #turn(loaded: Loaded): void {
    this.#loaded = loaded;
    for (const listener of [...this.#listeners]) listener();
  }
}

export function useUnits(store: UnitsStore): Loaded {
  return useSyncExternalStore(store.subscribe, store.loaded);
}
