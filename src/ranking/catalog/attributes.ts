/**
 * Item attributes: undeclared names and values.
 *
 * A retailer may use thousands of names, each on few items, so that a column per name would be
 * mostly empty. Instead, each item has its pairs (name code, value code), and the column of a name
 * is a view that walks them, at the cost of the item's number of pairs. A name may have values of
 * different types in different items.
 */

import { parseLocal } from '../runtime/instants.ts';
import { createCodeSets } from './code-sets.ts';
import { createDictionary } from './dictionary.ts';
import { type Column, distinctValues, memoised, type Value, type ValueTest } from './typed-columns.ts';

export type Attributes = {
  /** @param value `[{ name, value }]` or a map of names; objects among the values are ignored. */
  write(itemIndex: number, value: unknown): void;
  column(name: string): Column;
  /** Returns the item's attributes, one pair per value. */
  pairsAt(itemIndex: number): AttributePair[];
};

export type AttributePair = { name: string; value: Value };

/** Returns distinct pairs, one per value of an array. */
function pairsOf(attributes: unknown): AttributePair[] {
  if (typeof attributes !== 'object' || attributes === null) return [];
  const entries: [unknown, unknown][] = Array.isArray(attributes)
    ? attributes.map((one) => [one?.name, one?.value])
    : Object.entries(attributes);
  const valuesByName = new Map<string, unknown[]>();
  for (const [name, value] of entries) {
    if (typeof name !== 'string') continue;
    valuesByName.set(name, [valuesByName.get(name) ?? [], value].flat(2));
  }
  return [...valuesByName].flatMap(([name, all]) => distinctValues(all).map((value) => ({ name, value })));
}

/** Applies a test to one value of any type; a text can also be compared as an instant. */
function acceptsValue(test: ValueTest, timeZone: string): (value: Value) => boolean {
  if (test.oneOf) return (value) => test.oneOf!.includes(value);
  return (value) => {
    if (typeof value === 'number') return test.number?.(value) ?? false;
    if (typeof value !== 'string') return false;
    return (test.text?.(value) ?? false) || (test.instant?.(parseLocal(value, timeZone)) ?? false);
  };
}

export function createAttributes(timeZone: string): Attributes {
  const names = createDictionary<string>();
  const values = createDictionary<Value>();
  const sets = createCodeSets();

  const release = (itemIndex: number): void => {
    for (let place = sets.count(itemIndex) - 1; place >= 0; place--) {
      const code = sets.at(itemIndex, place);
      if (place % 2 === 0) names.release(code);
      else values.release(code);
    }
  };

  /** Writes the value codes of one name into `codes`; returns their number. */
  const codesAt = (name: string, itemIndex: number, codes: (number | string)[]): number => {
    const nameCode = names.codeOf(name);
    let found = 0;
    for (let place = sets.count(itemIndex) - 2; place >= 0; place -= 2) {
      if (sets.at(itemIndex, place) === nameCode) codes[found++] = sets.at(itemIndex, place + 1);
    }
    return found;
  };

  return {
    write(itemIndex, value) {
      const codes = pairsOf(value).flatMap((pair) => [names.retain(pair.name), values.retain(pair.value)]);
      release(itemIndex);
      sets.replace(itemIndex, codes);
    },
    pairsAt: (itemIndex) =>
      Array.from({ length: sets.count(itemIndex) / 2 }, (_, pair) => ({
        name: names.valueOf(sets.at(itemIndex, pair * 2)),
        value: values.valueOf(sets.at(itemIndex, pair * 2 + 1)),
      })),
    column: (name) => ({
      matcher(test) {
        const nameCode = names.codeOf(name);
        const acceptsOne = acceptsValue(test, timeZone);
        const accepts = memoised(values.codeLimit, (code) => acceptsOne(values.valueOf(code)));
        return (itemIndex) => {
          for (let place = sets.count(itemIndex) - 2; place >= 0; place -= 2) {
            if (sets.at(itemIndex, place) === nameCode && accepts(sets.at(itemIndex, place + 1))) return true;
          }
          return false;
        };
      },
      valuesAt(itemIndex) {
        const codes: number[] = [];
        codesAt(name, itemIndex, codes);
        return codes.reverse().map((code) => values.valueOf(code));
      },
      valueKeysAt: (itemIndex, keys) => codesAt(name, itemIndex, keys),
    }),
  };
}
