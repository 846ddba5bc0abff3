/**
 * The greatest entries of any range of an array, in descending order, without reading the range.
 *
 * A binary tree of maxima lies in one array (node i has the children 2i and 2i + 1). A request opens the nodes that cover its
 * range best first; each entry taken costs about the height of the tree.
 */

export type RangeMaximum = {
  /** Calls back with positions in [from, to), the greatest value first, equal ones by position, until it returns false. */
  visit(from: number, to: number, take: (position: number) => boolean): void;
};

/** Nodes waiting in a request; more than any request opens before it has enough. */
const mostWaiting = 8_192;

export function createRangeMaximum(values: Float32Array): RangeMaximum {
  let size = 1;
  while (size < values.length) size *= 2;
  const maxima = new Float32Array(size * 2).fill(Number.NEGATIVE_INFINITY);
  maxima.set(values, size);
  for (let node = size - 1; node > 0; node--) maxima[node] = Math.max(maxima[node * 2], maxima[node * 2 + 1]);

  /** A heap of nodes by maximum, the leftmost first among equals. */
  const heap = new Int32Array(mostWaiting);
  let waiting = 0;
  const firstLeaf = (node: number): number => {
    let leaf = node;
    while (leaf < size) leaf *= 2;
    return leaf;
  };
  const before = (a: number, b: number): boolean =>
    maxima[a] > maxima[b] || (maxima[a] === maxima[b] && firstLeaf(a) < firstLeaf(b));

  const push = (node: number): void => {
    if (waiting === mostWaiting) return;
    let at = waiting++;
    for (; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!before(node, heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = node;
  };
  const pop = (): number => {
    const first = heap[0];
    const last = heap[--waiting];
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= waiting) break;
      if (child + 1 < waiting && before(heap[child + 1], heap[child])) child += 1;
      if (!before(heap[child], last)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return first;
  };

  return {
    visit(from, to, take) {
      waiting = 0;
      for (let low = from + size, high = to + size; low < high; low >>= 1, high >>= 1) {
        if (low & 1) push(low++);
        if (high & 1) push(--high);
      }
      while (waiting > 0) {
        const node = pop();
        if (node >= size) {
          if (!take(node - size)) return;
        } else {
          push(node * 2);
          push(node * 2 + 1);
        }
      }
    },
  };
}
