/** The places of a file that its view highlights: what was found, and what the leak check found. */
import type { Place } from "./marks";

interface Highlighted {
  readonly found: readonly Place[];
  /** The index of the found place that is looked at, or -1. */
  readonly current: number;
  readonly findings: readonly Place[];
}

export class HighlightedPlaces {
  readonly #listeners = new Set<() => void>();
  #now: Highlighted = { found: [], current: -1, findings: [] };

  readonly now = (): Highlighted => this.#now;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  show(changed: Partial<Highlighted>): void {
    this.#now = { ...this.#now, ...changed };
    for (const listener of [...this.#listeners]) listener();
  }
}
