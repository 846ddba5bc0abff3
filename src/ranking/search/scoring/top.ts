/**
 * The best n of a stream of keyed items: a bounded binary heap with the worst entry at its root.
 *
 * Equal keys are ordered by `comesBefore` (the lower position first), so the result does not depend
 * on the order of offers.
 */
export type Offers = {
  /**
   * Keys below it are not kept, equal ones only of an item that comes before; -Infinity while there
   * is room.
   */
  readonly threshold: number;
  offer(itemIndex: number, key: number): void;
};

export type Top = ReturnType<typeof createTop>;

const byPosition = (one: number, other: number) => one < other;

export function createTop(capacity: number, comesBefore = byPosition) {
  const items = new Int32Array(capacity);
  const keys = new Float64Array(capacity);
  let size = 0;
  let limit = 0;
  const fillUp = (from: number, item: number, key: number): void => {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent] < key || (keys[parent] === key && comesBefore(item, items[parent]))) break;
      keys[at] = keys[parent];
      items[at] = items[parent];
      at = parent;
    }
    keys[at] = key;
    items[at] = item;
  };

  /** Moves the hole at the root down until the entry fits. */
  const fillDown = (count: number, item: number, key: number): void => {
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= count) break;
      const other = child + 1;
      if (
        other < count &&
        (keys[other] < keys[child] ||
          (keys[other] === keys[child] && comesBefore(items[child], items[other])))
      )
        child = other;
      if (key < keys[child] || (key === keys[child] && comesBefore(items[child], item))) break;
      keys[at] = keys[child];
      items[at] = items[child];
      at = child;
    }
    keys[at] = key;
    items[at] = item;
  };

  return {
    /** After `finish`: the first `size` items and keys, best first. */
    items,
    keys,
    get size(): number {
      return size;
    },
    get threshold(): number {
      return size < limit ? Number.NEGATIVE_INFINITY : limit === 0 ? Number.POSITIVE_INFINITY : keys[0];
    },
    begin(wanted: number): void {
      size = 0;
      limit = Math.min(wanted, capacity);
    },
    offer(itemIndex: number, key: number): void {
      if (size < limit) fillUp(size++, itemIndex, key);
      else if (limit > 0 && (key > keys[0] || (key === keys[0] && comesBefore(itemIndex, items[0]))))
        fillDown(limit, itemIndex, key);
    },
    finish(): void {
      for (let last = size - 1; last > 0; last--) {
        const item = items[last];
        const key = keys[last];
        items[last] = items[0];
        keys[last] = keys[0];
        fillDown(last, item, key);
      }
    },
  };
}
