/**
 * The limits of one diversify rule by value, in one list.
 *
 * Keys are nearly always codes of a dictionary, which index a table that is reused for each list. A
 * Map that is cleared and filled again leaves old tables behind, each of which refers to the next
 * one; once the first is in the old generation, it keeps all later ones alive, and each minor
 * collection copies them.
 */

import { grown } from '../catalog/growth.ts';
import type { ValueKey } from '../catalog/typed-columns.ts';

export type ValueLimits = {
  /** Forgets all values. */
  begin(): void;
  /** Returns -1 for a value without a limit in this list. */
  limitOf(key: ValueKey): number;
  /** Adds the limit of a new value. */
  add(key: ValueKey, limit: number): void;
  /** Visits values in the order of `add`. */
  visit(visit: (key: ValueKey, limit: number) => void): void;
};

/** A table of this length takes 4 MB; larger keys are measured numbers, not codes. */
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
