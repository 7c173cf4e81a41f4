/** Runs long work in slices of some milliseconds, so that the page answers keys and draws frames between them. */

const SLICE_MS = 8;

export class TimeSlices {
  #until = performance.now() + SLICE_MS;

  /** To be awaited between two pieces of work; it waits only when it is time. */
  rest(): Promise<void> | undefined {
    // Nobody types in a page that is not seen, whose timers come once a second.
    if (document.hidden || performance.now() < this.#until) return undefined;
    return this.#wait();
  }

  async #wait(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    this.#until = performance.now() + SLICE_MS;
  }
}
