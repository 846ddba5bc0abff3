/** Numbers as codes, made when somebody counts them by value and kept from then on: most numbers are never counted so. */
import type { CodedValues } from './coded-values.ts';
import { createDictionary } from './dictionary.ts';
import type { FloatCells } from './float-cells.ts';
import { grown } from './growth.ts';

export type NumberCodes = CodedValues & {
  /** Takes note of an item whose number was written. */
  note(itemIndex: number): void;
};

/** Numbers beyond these, such as moments, are looked at one by one: their codes would take more than they save. */
const mostShared = 50_000;

export function createNumberCodes(cells: FloatCells): NumberCodes {
  const dictionary = createDictionary<number>();
  let codes: Int32Array | undefined;
  /** Undefined before somebody asked. */
  let areFew: boolean | undefined;

  const note = (itemIndex: number): void => {
    if (!codes) return;
    codes = grown(codes, itemIndex + 1, -1);
    const before = codes[itemIndex];
    const number = cells.at(itemIndex);
    codes[itemIndex] = Number.isNaN(number) ? -1 : dictionary.retain(number);
    if (before >= 0) dictionary.release(before);
  };

  const made = (): Int32Array => {
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
      made();
      return dictionary.codeLimit;
    },
    countInto(items, itemCount, counts) {
      const held = made();
      for (let i = 0; i < itemCount; i++) {
        const code = items[i] < held.length ? held[items[i]] : -1;
        if (code >= 0) counts[code] += 1;
      }
    },
    codesAt(itemIndex, found) {
      const code = made()[itemIndex] ?? -1;
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
