/**
 * A scan over the items that nobody has looked at for this list, as few of them as the remembered sets allow.
 *
 * Words of bits are joined before any single item is looked at: items that a must refuses, or that a closed quota keeps out,
 * cost nothing.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { ValueKey } from '../catalog/typed-columns.ts';
import type { BoundRule } from './bind-configuration.ts';
import type { CandidatePool } from './candidate-pool.ts';
import type { ItemSet } from './match-sets.ts';
import type { IntList } from './number-lists.ts';
import type { ValueCodes } from './value-codes.ts';

/** All 32 items of a word. */
const everyItem = 0xffffffff;

/** Bits of one word's items that may be in the set: all of them when the set is not remembered. */
export const wordOf = ({ words }: ItemSet, word: number): number => {
  if (words === undefined) return everyItem;
  return word < words.length ? words[word] : 0;
};

/** What is not remembered of a set leaves nothing out. */
export type WantedSets = { all: readonly ItemSet[]; some?: readonly ItemSet[] };

/** Bits of the items of one word that are wanted; may hold too many. */
function wantedWord({ all, some }: WantedSets, word: number): number {
  let bits = everyItem;
  for (let at = 0; at < all.length && bits !== 0; at++) bits &= wordOf(all[at], word);
  if (some === undefined || bits === 0) return bits;
  let any = 0;
  for (let at = 0; at < some.length; at++) any |= wordOf(some[at], word);
  return bits & any;
}

export type FreshScan = {
  catalog: Catalog;
  rules: readonly BoundRule[];
  pool: CandidatePool;
  /** By limit: 1 when no item that uses it is wanted. */
  closedLimits: IntList;
  /** Sets of which every wanted item is in all, and in some of the others, where there are any. */
  wanted: WantedSets;
  /** Whether one of those items is really wanted. */
  isWanted: (itemIndex: number) => boolean;
};

/** Bits of the items of one word that musts and closed quotas leave. */
function openWord({ rules, pool, closedLimits }: FreshScan, word: number): number {
  let bits = everyItem;
  for (let ruleIndex = 0; ruleIndex < rules.length && bits !== 0; ruleIndex++) {
    const rule = rules[ruleIndex];
    if (rule.kind === 'must') bits &= wordOf(rule.set, word);
    if (rule.kind !== 'quota' || !rule.set.isExact) continue;
    const limit = pool.limitOfRule(ruleIndex);
    if (limit >= 0 && closedLimits.values[limit] === 1) bits &= ~wordOf(rule.set, word);
  }
  return bits;
}

type ClosedValues = {
  values: ValueCodes;
  /** By code: 1 when its limit is closed. */
  closed: Uint8Array;
};

/** The closed values of each diversify rule that has any. */
function closedValues({ rules, pool, closedLimits }: FreshScan): ClosedValues[] {
  return rules.flatMap((rule, ruleIndex) => {
    if (rule.kind !== 'diversify') return [];
    const keys: ValueKey[] = [];
    pool.visitValueLimits(ruleIndex, (key, limit) => closedLimits.values[limit] === 1 && keys.push(key));
    const values = keys.length > 0 ? rule.codes() : undefined;
    if (!values) return [];
    const closed = new Uint8Array(values.codeLimit);
    for (const key of keys) if (values.codeOf(key) >= 0) closed[values.codeOf(key)] = 1;
    return [{ values, closed }];
  });
}

/** Whether the item's only value of some key is closed; items with several values are left to the pool. */
function hasClosedValue(all: readonly ClosedValues[], itemIndex: number): boolean {
  for (const { values, closed } of all) {
    const code = values.codes[itemIndex];
    if (code >= 0 && closed[code] === 1) return true;
  }
  return false;
}

/** Visits the wanted fresh items that use no closed limit until `visit` says to stop; false when it did. */
export function scanFreshItems(scan: FreshScan, visit: (itemIndex: number) => boolean): boolean {
  const { catalog, pool, closedLimits } = scan;
  const isClosed = (limit: number): boolean => closedLimits.values[limit] === 1;
  const closed = closedValues(scan);
  if (closed.some((one) => one.values.isCovered(one.closed))) return true;
  for (let word = 0; word * 32 < catalog.itemCount; word++) {
    let bits = wantedWord(scan.wanted, word);
    if (bits !== 0) bits &= openWord(scan, word);
    for (; bits !== 0; bits &= bits - 1) {
      const itemIndex = word * 32 + (31 - Math.clz32(bits & -bits));
      if (itemIndex >= catalog.itemCount) break;
      if (hasClosedValue(closed, itemIndex) || !scan.isWanted(itemIndex)) continue;
      if (!pool.isFresh(itemIndex) || pool.findLimit(itemIndex, isClosed) >= 0) continue;
      if (!visit(itemIndex)) return false;
    }
  }
  return true;
}
