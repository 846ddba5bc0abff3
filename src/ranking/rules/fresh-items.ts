/**
 * Scans the items that the list has not considered yet.
 *
 * Words of the match sets are joined before any item is tested, so that items that a must or a
 * closed quota excludes cost nothing.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { ValueKey } from '../catalog/typed-columns.ts';
import type { BoundRule } from './bind-configuration.ts';
import type { CandidatePool } from './candidate-pool.ts';
import type { ItemSet } from './match-sets.ts';
import type { IntList } from './number-lists.ts';
import type { ValueCodes } from './value-codes.ts';

/** The bits of all 32 items of a word. */
const everyItem = 0xffffffff;

/** Returns the bits of one word: all of them when the set has no words. */
export const wordOf = ({ words }: ItemSet, word: number): number => {
  if (words === undefined) return everyItem;
  return word < words.length ? words[word] : 0;
};

/** A wanted item is in all sets of `all`, and in at least one of `some`. */
export type WantedSets = { all: readonly ItemSet[]; some?: readonly ItemSet[] };

/** Returns the bits of wanted items of one word, possibly too many. */
function wantedWord({ all, some }: WantedSets, word: number): number {
  let bits = everyItem;
  for (let at = 0; at < all.length && bits !== 0; at++) bits &= wordOf(all[at], word);
  if (some === undefined || bits === 0) return bits;
  let any = 0;
  for (let at = 0; at < some.length; at++) any |= wordOf(some[at], word);
  return bits & any;
}

type FreshScan = {
  catalog: Catalog;
  rules: readonly BoundRule[];
  pool: CandidatePool;
  /** By limit: 1 when items that use it are not wanted. */
  closedLimits: IntList;
  wanted: WantedSets;
  /** Decides about an item of the wanted sets. */
  isWanted: (itemIndex: number) => boolean;
};

/** Returns the bits of one word's items that musts and closed quotas admit. */
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

/** Collects the closed values of diversify rules. */
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

/** Tells whether the item's only value is closed; the pool checks items with several. */
function hasClosedValue(all: readonly ClosedValues[], itemIndex: number): boolean {
  for (const { values, closed } of all) {
    const code = values.codes[itemIndex];
    if (code >= 0 && closed[code] === 1) return true;
  }
  return false;
}

/** Visits wanted items without closed limits until `visit` returns false; true at the end. */
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
