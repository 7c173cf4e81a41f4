/** Series of points, as uPlot takes them: one list of x values, and the y values of each series at them. */

export type Point = readonly [x: number, y: number, ...unknown[]];

/** `least`: where points at 0 are drawn, for which a logarithmic axis has no place. */
export function alignedOf(
  series: readonly (readonly Point[])[],
  least: number,
): [xs: number[], ...ys: (number | null)[][]] {
  const byX = series.map((points) => new Map(points.map(([x, y]) => [x || least, y])));
  const xs = [...new Set(byX.flatMap((ys) => [...ys.keys()]))].sort((one, other) => one - other);
  return [xs, ...byX.map((ys) => xs.map((x) => ys.get(x) ?? null))];
}
