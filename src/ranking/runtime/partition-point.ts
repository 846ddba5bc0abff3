/** Returns the first position of start … end that the test does not hold for; it holds for all before it. */
export function partitionPoint(start: number, end: number, isBefore: (at: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
