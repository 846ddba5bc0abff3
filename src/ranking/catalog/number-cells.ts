/** The numbers of a column by item, and their codes. */
import type { CodedValues } from './code-sets.ts';
import { createDictionary } from './dictionary.ts';
import { grown } from './growth.ts';

export type FloatCells = {
  readonly length: number;
  at(itemIndex: number): number;
  write(itemIndex: number, value: number): void;
};

/**
 * One number per item. NaN means absent, so that any comparison with an absent value is false. A
 * column without values takes no memory.
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

export type NumberCodes = CodedValues & {
  /** Updates the code of an item after a write. */
  note(itemIndex: number): void;
};

/** Different numbers up to which codes save time; timestamps exceed them. */
const mostShared = 50_000;

/** Numbers as codes, created when numbers are first counted by value, since most never are. */
export function createNumberCodes(cells: FloatCells): NumberCodes {
  const dictionary = createDictionary<number>();
  let codes: Int32Array | undefined;
  /** Undefined until `isShared` is called. */
  let areFew: boolean | undefined;

  const note = (itemIndex: number): void => {
    if (!codes) return;
    codes = grown(codes, itemIndex + 1, -1);
    const before = codes[itemIndex];
    const number = cells.at(itemIndex);
    codes[itemIndex] = Number.isNaN(number) ? -1 : dictionary.retain(number);
    if (before >= 0) dictionary.release(before);
  };

  const currentCodes = (): Int32Array => {
    if (!codes) {
      codes = new Int32Array(cells.length).fill(-1);
      for (let itemIndex = 0; itemIndex < cells.length; itemIndex++) note(itemIndex);
    }
    return codes;
  };

  const isAmongFew = (): boolean => {
    const numbers = new Set<number>();
    for (let itemIndex = 0; itemIndex < cells.length && numbers.size <= mostShared; itemIndex++)
      numbers.add(cells.at(itemIndex));
    return numbers.size <= mostShared;
  };

  return {
    note,
    get codeLimit() {
      currentCodes();
      return dictionary.codeLimit;
    },
    countInto(items, itemCount, counts) {
      const known = currentCodes();
      for (let i = 0; i < itemCount; i++) {
        const code = items[i] < known.length ? known[items[i]] : -1;
        if (code >= 0) counts[code] += 1;
      }
    },
    codesAt(itemIndex, found) {
      const code = currentCodes()[itemIndex] ?? -1;
      found[0] = code;
      return code < 0 ? 0 : 1;
    },
    valueOf: dictionary.valueOf,
    isShared() {
      areFew ??= isAmongFew();
      return areFew && this.codeLimit <= mostShared;
    },
  };
}
