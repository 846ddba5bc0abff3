/** One number an item. */
import { grown } from './growth.ts';

export type FloatCells = {
  readonly length: number;
  at(itemIndex: number): number;
  write(itemIndex: number, value: number): void;
};

/**
 * NaN is absent, so that every comparison with an absent value is false by itself. A column that no item has a value in
 * takes no memory.
 */
export function createFloatCells(): FloatCells {
  let cells = new Float64Array(0);
  return {
    get length() {
      return cells.length;
    },
    at: (itemIndex) => (itemIndex < cells.length ? cells[itemIndex] : Number.NaN),
    write(itemIndex, value) {
      if (Number.isNaN(value) && itemIndex >= cells.length) return;
      cells = grown(cells, itemIndex + 1, Number.NaN);
      cells[itemIndex] = value;
    },
  };
}
