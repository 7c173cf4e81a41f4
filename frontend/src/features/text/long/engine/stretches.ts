/** Long work in stretches of some milliseconds, between which keys and frames have their turn. */

const STRETCH_MS = 8;

export class Stretches {
  #until = performance.now() + STRETCH_MS;

  /** To be awaited between two pieces of work; it waits only when it is time. */
  rest(): Promise<void> | undefined {
    // Nobody types in a page that is not seen, whose timers come once a second.
    if (document.hidden || performance.now() < this.#until) return undefined;
    return this.#wait();
  }

  async #wait(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    this.#until = performance.now() + STRETCH_MS;
  }
}
