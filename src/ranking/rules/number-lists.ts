/** Lists of numbers that keep their memory from one request to the next. */
import { grown } from '../catalog/growth.ts';

type NumberList<T extends Int32Array | Float64Array> = {
  /** Stale from `length` on, and replaced when the list grows: read it again after a push. */
  values: T;
  length: number;
  push(value: number): void;
  clear(): void;
  /** Sets the length, and all entries to `value`. */
  fill(length: number, value: number): void;
};

export type IntList = NumberList<Int32Array>;

export type FloatList = NumberList<Float64Array>;

function createNumberList<T extends Int32Array | Float64Array>(empty: T): NumberList<T> {
  return {
    values: empty,
    length: 0,
    push(value) {
      if (this.length === this.values.length) this.values = grown(this.values, this.length + 1, 0);
      this.values[this.length] = value;
      this.length += 1;
    },
    clear() {
      this.length = 0;
    },
    fill(length, value) {
      this.values = grown(this.values, length, 0);
      this.values.fill(value, 0, length);
      this.length = length;
    },
  };
}

export const createIntList = (): IntList => createNumberList(new Int32Array(0));

export const createFloatList = (): FloatList => createNumberList(new Float64Array(0));
