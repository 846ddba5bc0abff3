/**
 * The eligible candidates of one list as plain numbers, so that choosing among them knows neither items nor rules.
 *
 * A candidate is a number below `count`. It uses *limits* (a quota's max, or a diversify rule's max for one value: at most
 * `caps[limit]` picked candidates use it) and serves *needs* (a quota's min: at least `wants[need]` should serve it).
 * What a candidate uses and serves lies side by side: candidate c uses limitIds[limitStarts[c] … limitStarts[c + 1]).
 * All memory is kept from one list to the next.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { ValueKey } from '../catalog/columns.ts';
import { grown } from '../catalog/growth.ts';
import type { BoundPreference, BoundRule } from './bind-configuration.ts';
import { createFloatList, createIntList } from './number-lists.ts';

export type PoolRequest = {
  catalog: Catalog;
  rules: readonly BoundRule[];
  preferences: readonly BoundPreference[];
  nowMs: number;
  /** Items that must not be picked. */
  excluded?: (itemIndex: number) => boolean;
};

/** What happened to the candidates of one rule. */
export type RuleTally = {
  /** Candidates that satisfied the condition, or had the key to diversify. */
  matched: number;
  /** Candidates that the rule kept out. */
  cut: number;
};

export type CandidatePool = ReturnType<typeof createCandidatePool>;

/** No limit: an int32 that no list reaches. */
const unlimited = 0x7fffffff;

export function createCandidatePool() {
  const items = createIntList();
  /** Place in the stream of candidates; smaller is better. */
  const positions = createFloatList();
  /** Total weight of the preferences that the item matches; larger is better. */
  const weights = createFloatList();
  const limitStarts = createIntList();
  const limitIds = createIntList();
  const needStarts = createIntList();
  const needIds = createIntList();
  const caps = createIntList();
  const limitRules = createIntList();
  const wants = createIntList();
  const needRules = createIntList();
  /** What injected items use of each limit. */
  const injectedUses = createIntList();
  const tallies: RuleTally[] = [];

  const quotaLimits = createIntList();
  const quotaNeeds = createIntList();
  const valueLimits: Map<ValueKey, number>[] = [];
  const keys: ValueKey[] = [];
  /** Items already looked at for this list hold the current stamp. */
  let stamps = new Int32Array(0);
  let stamp = 0;
  let request: PoolRequest;

  const addLimit = (ruleIndex: number, max: number): number => {
    caps.push(Math.min(max, unlimited));
    limitRules.push(ruleIndex);
    injectedUses.push(0);
    return caps.length - 1;
  };

  const addNeed = (ruleIndex: number, min: number): number => {
    wants.push(Math.min(min, unlimited));
    needRules.push(ruleIndex);
    return wants.length - 1;
  };

  const beginRule = (rule: BoundRule, ruleIndex: number): void => {
    tallies.push({ matched: 0, cut: 0 });
    const isQuota = rule.kind === 'quota';
    quotaLimits.push(isQuota && rule.max < unlimited ? addLimit(ruleIndex, rule.max) : -1);
    quotaNeeds.push(isQuota && rule.min > 0 ? addNeed(ruleIndex, rule.min) : -1);
    valueLimits[ruleIndex] ??= new Map();
    valueLimits[ruleIndex].clear();
  };

  const begin = (next: PoolRequest): void => {
    request = next;
    for (const list of [items, positions, weights, limitStarts, limitIds, needStarts, needIds]) list.clear();
    for (const list of [caps, limitRules, wants, needRules, injectedUses, quotaLimits, quotaNeeds])
      list.clear();
    tallies.length = 0;
    limitStarts.push(0);
    needStarts.push(0);
    stamps = grown(stamps, next.catalog.itemCount, 0);
    stamp += 1;
    next.rules.forEach(beginRule);
  };

  const valueLimit = (ruleIndex: number, max: number, key: ValueKey): number => {
    const known = valueLimits[ruleIndex].get(key);
    if (known !== undefined) return known;
    const limit = addLimit(ruleIndex, max);
    valueLimits[ruleIndex].set(key, limit);
    return limit;
  };

  const weightOf = (itemIndex: number): number => {
    let weight = 0;
    for (const preference of request.preferences)
      if (preference.set.has(itemIndex)) weight += preference.weight;
    return weight;
  };

  /** Appends what the item uses and serves to limitIds and needIds. */
  const appendGroups = (itemIndex: number): void => {
    const { rules } = request;
    for (let ruleIndex = 0; ruleIndex < rules.length; ruleIndex++) {
      const rule = rules[ruleIndex];
      if (rule.kind === 'quota' && rule.set.has(itemIndex)) {
        tallies[ruleIndex].matched += 1;
        if (quotaLimits.values[ruleIndex] >= 0) limitIds.push(quotaLimits.values[ruleIndex]);
        if (quotaNeeds.values[ruleIndex] >= 0) needIds.push(quotaNeeds.values[ruleIndex]);
      } else if (rule.kind === 'diversify' && rule.column) {
        const count = rule.column.valueKeysAt(itemIndex, keys);
        if (count > 0) tallies[ruleIndex].matched += 1;
        for (let k = 0; k < count; k++) limitIds.push(valueLimit(ruleIndex, rule.max, keys[k]));
      }
    }
  };

  const satisfiesMusts = (itemIndex: number, tally: boolean): boolean => {
    const { rules } = request;
    for (let ruleIndex = 0; ruleIndex < rules.length; ruleIndex++) {
      const rule = rules[ruleIndex];
      if (rule.kind !== 'must') continue;
      const satisfied = rule.set.has(itemIndex);
      if (tally) tallies[ruleIndex][satisfied ? 'matched' : 'cut'] += 1;
      if (!satisfied) return false;
    }
    return true;
  };

  const isAllowed = (itemIndex: number): boolean =>
    request.catalog.servable(itemIndex, request.nowMs) && !request.excluded?.(itemIndex);

  /** Looks at an item once per list and takes it in when it may be picked. */
  const offer = (itemIndex: number, position: number): void => {
    if (stamps[itemIndex] === stamp) return;
    stamps[itemIndex] = stamp;
    if (!isAllowed(itemIndex) || !satisfiesMusts(itemIndex, true)) return;
    items.push(itemIndex);
    positions.push(position);
    weights.push(weightOf(itemIndex));
    appendGroups(itemIndex);
    limitStarts.push(limitIds.length);
    needStarts.push(needIds.length);
  };

  /** Counts an item that is in the list whatever the rules say; it is no candidate any more. */
  const inject = (itemIndex: number): void => {
    stamps[itemIndex] = stamp;
    appendGroups(itemIndex);
    for (let k = limitStarts.values[items.length]; k < limitIds.length; k++)
      injectedUses.values[limitIds.values[k]] += 1;
    for (let k = needStarts.values[items.length]; k < needIds.length; k++)
      wants.values[needIds.values[k]] -= 1;
    limitIds.length = limitStarts.values[items.length];
    needIds.length = needStarts.values[items.length];
  };

  /** Whether one of the limits the item would use satisfies a condition; values nobody has used yet have no limit. */
  const someLimitOf = (itemIndex: number, condition: (limit: number) => boolean): boolean => {
    const { rules } = request;
    for (let ruleIndex = 0; ruleIndex < rules.length; ruleIndex++) {
      const rule = rules[ruleIndex];
      const quotaLimit = quotaLimits.values[ruleIndex];
      if (rule.kind === 'quota' && quotaLimit >= 0 && rule.set.has(itemIndex) && condition(quotaLimit))
        return true;
      if (rule.kind !== 'diversify' || !rule.column) continue;
      for (let k = rule.column.valueKeysAt(itemIndex, keys) - 1; k >= 0; k--) {
        const limit = valueLimits[ruleIndex].get(keys[k]);
        if (limit !== undefined && condition(limit)) return true;
      }
    }
    return false;
  };

  return {
    begin,
    inject,
    offer,
    weightOf,
    someLimitOf,
    /** The limit of a quota's max, or -1. */
    limitOfRule: (ruleIndex: number): number => quotaLimits.values[ruleIndex],
    /** Not looked at yet, and nothing forbids picking it. */
    isFresh: (itemIndex: number): boolean =>
      stamps[itemIndex] !== stamp && isAllowed(itemIndex) && satisfiesMusts(itemIndex, false),
    get count() {
      return items.length;
    },
    items,
    positions,
    weights,
    limitStarts,
    limitIds,
    needStarts,
    needIds,
    caps,
    limitRules,
    wants,
    needRules,
    injectedUses,
    tallies,
  };
}
