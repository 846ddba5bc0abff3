/** Items by the moment at which something happens to them, the next one first: a binary heap. */
import { grown } from './growth.ts';

export type MomentQueue = {
  /** Infinity when there is none. */
  readonly nextMs: number;
  readonly length: number;
  add(momentMs: number, itemIndex: number): void;
  /** Removes the item of the next moment. */
  take(): number;
  clear(): void;
};

export function createMomentQueue(): MomentQueue {
  let moments = new Float64Array(0);
  let items = new Int32Array(0);
  let length = 0;

  const put = (at: number, momentMs: number, itemIndex: number): void => {
    moments[at] = momentMs;
    items[at] = itemIndex;
  };

  /** The child of a place whose moment comes first. */
  const earlierChild = (at: number): number => {
    const child = at * 2 + 1;
    return child + 1 < length && moments[child + 1] < moments[child] ? child + 1 : child;
  };

  return {
    get nextMs() {
      return length === 0 ? Number.POSITIVE_INFINITY : moments[0];
    },
    get length() {
      return length;
    },
    add(momentMs, itemIndex) {
      moments = grown(moments, length + 1, 0);
      items = grown(items, length + 1, 0);
      let at = length++;
      for (let parent = (at - 1) >> 1; at > 0 && moments[parent] > momentMs; parent = (at - 1) >> 1) {
        put(at, moments[parent], items[parent]);
        at = parent;
      }
      put(at, momentMs, itemIndex);
    },
    take() {
      const [first] = items;
      length -= 1;
      const momentMs = moments[length];
      const itemIndex = items[length];
      let at = 0;
      for (
        let child = earlierChild(0);
        child < length && moments[child] < momentMs;
        child = earlierChild(at)
      ) {
        put(at, moments[child], items[child]);
        at = child;
      }
      put(at, momentMs, itemIndex);
      return first;
    },
    clear() {
      length = 0;
    },
  };
}
