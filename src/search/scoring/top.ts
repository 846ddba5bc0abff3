/**
 * The best n of a stream of keyed items: a bounded binary heap whose root is the worst entry kept.
 *
 * Equal keys are ordered by item, the lower position first, so the answer does not depend on the order of offers.
 */
export type Top = {
  /** After `finish`, the first `size` items and keys, best first. */
  readonly items: Int32Array;
  readonly keys: Float64Array;
  readonly size: number;
  /** A key must be above it, or equal with a lower item, to be kept; -Infinity while there is room. */
  readonly threshold: number;
  begin(limit: number): void;
  offer(itemIndex: number, key: number): void;
  finish(): void;
};

export function createTop(capacity: number): Top {
  const items = new Int32Array(capacity);
  const keys = new Float64Array(capacity);
  let size = 0;
  let limit = 0;

  const worse = (a: number, b: number): boolean =>
    keys[a] < keys[b] || (keys[a] === keys[b] && items[a] > items[b]);
  const swap = (a: number, b: number): void => {
    const item = items[a];
    const key = keys[a];
    items[a] = items[b];
    keys[a] = keys[b];
    items[b] = item;
    keys[b] = key;
  };
  const siftUp = (from: number): void => {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!worse(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  };
  const siftDown = (count: number): void => {
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= count) return;
      if (child + 1 < count && worse(child + 1, child)) child += 1;
      if (!worse(child, at)) return;
      swap(at, child);
      at = child;
    }
  };

  return {
    items,
    keys,
    get size() {
      return size;
    },
    get threshold() {
      return size < limit ? Number.NEGATIVE_INFINITY : limit === 0 ? Number.POSITIVE_INFINITY : keys[0];
    },
    begin(wanted) {
      size = 0;
      limit = Math.min(wanted, capacity);
    },
    offer(itemIndex, key) {
      if (size < limit) {
        items[size] = itemIndex;
        keys[size] = key;
        siftUp(size++);
      } else if (limit > 0 && (key > keys[0] || (key === keys[0] && itemIndex < items[0]))) {
        items[0] = itemIndex;
        keys[0] = key;
        siftDown(limit);
      }
    },
    finish() {
      for (let last = size - 1; last > 0; last--) {
        swap(0, last);
        siftDown(last);
      }
    },
  };
}
