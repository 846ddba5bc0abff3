/**
 * The limits of one diversify rule's values in one list.
 *
 * Keys are codes of a dictionary nearly always, and stand in a table that is kept from list to list. A Map that is emptied
 * and filled again would be garbage that lives: each table that it drops refers to the next one, so the first that grows
 * old keeps all after it, and every short collection copies them.
 */

import { grown } from '../catalog/growth.ts';
import type { ValueKey } from '../catalog/typed-columns.ts';

export type ValueLimits = {
  /** Forgets all values. */
  begin(): void;
  /** -1 for a value not seen in this list. */
  limitOf(key: ValueKey): number;
  /** Of a value not seen before. */
  add(key: ValueKey, limit: number): void;
  /** In the order in which they were seen. */
  visit(visit: (key: ValueKey, limit: number) => void): void;
};

/** A table of as many takes 4 MB; keys beyond are numbers of a measure, not codes. */
const mostCodes = 2 ** 20;

const isCode = (key: ValueKey): key is number =>
  typeof key === 'number' && key >= 0 && key < mostCodes && Number.isInteger(key);

export function createValueLimits(): ValueLimits {
  let byCode = new Int32Array(0);
  let seen: ValueKey[] = [];
  let others: Map<ValueKey, number> | undefined;

  const limitOf = (key: ValueKey): number =>
    isCode(key) ? (key < byCode.length ? byCode[key] : -1) : (others?.get(key) ?? -1);

  return {
    begin() {
      for (const key of seen) if (isCode(key)) byCode[key] = -1;
      seen = [];
      others = undefined;
    },
    limitOf,
    add(key, limit) {
      seen.push(key);
      if (isCode(key)) {
        byCode = grown(byCode, key + 1, -1);
        byCode[key] = limit;
        return;
      }
      others ??= new Map();
      others.set(key, limit);
    },
    visit(visit) {
      for (const key of seen) visit(key, limitOf(key));
    },
  };
}
