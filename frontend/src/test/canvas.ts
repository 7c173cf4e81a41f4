/** What a canvas needs that jsdom lacks: uPlot draws, and nobody sees it. */

class NoPath {
  constructor() {
    // biome-ignore lint/correctness/noConstructorReturn: every method of a path is the same, and does nothing
    return noContext() as unknown as NoPath;
  }
}

/** Every member is a function that does nothing, or what was set. */
function noContext(): CanvasRenderingContext2D {
  const members: Record<string | symbol, unknown> = { measureText: (text: string) => ({ width: text.length * 7 }) };
  return new Proxy(members, {
    get: (target, name) => (name in target ? target[name] : () => {}),
  }) as unknown as CanvasRenderingContext2D;
}

Object.assign(globalThis, {
  Path2D: NoPath,
  ResizeObserver: class {
    observe() {}
    disconnect() {}
  },
});
globalThis.matchMedia ??= (media) =>
  ({ media, matches: false, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList;
HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement) {
  return Object.assign(noContext(), { canvas: this });
} as unknown as HTMLCanvasElement["getContext"];
