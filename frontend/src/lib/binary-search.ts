/** How many of the first `count` indexes `isBefore` holds for. Invariant: it holds for none after the first that it fails for. */
export function countBefore(count: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
