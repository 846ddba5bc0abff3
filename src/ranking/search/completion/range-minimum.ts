/**
 * Visits the smallest entries of any range of an array, in ascending order, without reading the
 * range.
 *
 * A binary tree of minima in one array: node i has the children 2i and 2i + 1, entry p is node size
 * + p. A visit opens the nodes that cover its range smallest first; each entry costs about the
 * height of the tree.
 */

export type RangeMinimum = {
  readonly size: number;
  /** Entry p lies at size + p. */
  readonly tree: Int32Array;
  /**
   * Calls back with the entries of [from, to), the smallest first, until it returns false. Entries
   * must be distinct.
   */
  visit(from: number, to: number, take: (entry: number) => boolean): void;
};

/** Nodes waiting in a visit: each entry leaves at most the height of the tree behind. */
const mostWaiting = 16_384;

/** Nodes made between two yields: about 1 ms. */
const nodesPerSlice = 200_000;

/** Created in slices. @param tree with the entries in its second half; the first half is overwritten */
export function* createRangeMinimum(tree: Int32Array): Generator<void, RangeMinimum> {
  const size = tree.length / 2;
  for (let node = size - 1; node > 0; node--) {
    tree[node] = Math.min(tree[node * 2], tree[node * 2 + 1]);
    if (node % nodesPerSlice === 0) yield;
  }

  /** A heap of nodes by their minima. */
  const heap = new Int32Array(Math.min(mostWaiting, tree.length + 64));
  let waiting = 0;

  const push = (node: number): void => {
    if (waiting === heap.length) return;
    const value = tree[node];
    let at = waiting++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (tree[heap[parent]] <= value) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = node;
  };

  const pop = (): number => {
    const first = heap[0];
    const last = heap[--waiting];
    const value = tree[last];
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= waiting) break;
      if (child + 1 < waiting && tree[heap[child + 1]] < tree[heap[child]]) child += 1;
      if (tree[heap[child]] >= value) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return first;
  };

  return {
    size,
    tree,
    visit(from, to, take) {
      waiting = 0;
      for (let low = from + size, high = to + size; low < high; low >>= 1, high >>= 1) {
        if (low & 1) push(low++);
        if (high & 1) push(--high);
      }
      while (waiting > 0) {
        let node = pop();
        const entry = tree[node];
        // Down to the entry, leaving the other child of each node behind.
        while (node < size) {
          node *= 2;
          if (tree[node] === entry) push(node + 1);
          else push(node++);
        }
        if (!take(entry)) return;
      }
    },
  };
}
