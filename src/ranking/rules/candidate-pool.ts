import type { Catalog } from '../catalog/catalog.ts';
import { grown } from '../catalog/growth.ts';
import type { ValueKey } from '../catalog/typed-columns.ts';
import type { BoundPreference, BoundRule } from './bind-configuration.ts';
import type { CandidateStream } from './candidate-stream.ts';
import { createFloatList, createIntList } from './number-lists.ts';
import { createRelevance } from './relevance.ts';
import { createValueLimits, type ValueLimits } from './value-limits.ts';

export type PoolRequest = {
  catalog: Catalog;
  rules: readonly BoundRule[];
  preferences: readonly BoundPreference[];
  nowMs: number;
  stream: CandidateStream;
  /** Items that must not be picked. */
  excluded?: (itemIndex: number) => boolean;
};

/** What happened to the candidates of one rule. */
export type RuleTally = {
  /** Candidates and injected items that satisfied the condition, or had the key to diversify. */
  matched: number;
  /** Candidates that the rule kept out. */
  cut: number;
};

/** No limit: an int32 that no list reaches. */
export const unlimited = 0x7fffffff;

/**
 * The eligible candidates of one list as plain numbers, so that choosing among them knows neither items nor rules.
 *
 * A candidate is a number below `count`. It uses *limits* (a quota's max, or a diversify rule's max for one value: at most
 * `caps[limit]` picked candidates use it) and serves *needs* (a quota's min: at least `wants[need]` should serve it).
 * What a candidate uses and serves lies side by side: candidate c uses limitIds[limitStarts[c] … limitStarts[c + 1]).
 * All memory is kept from one list to the next.
 */
export class CandidatePool {
  readonly items = createIntList();
  /** Place in the stream of candidates; smaller is better. */
  readonly positions = createFloatList();
  /** What the place is worth; see relevance.ts. */
  readonly relevances = createFloatList();
  /** Total weight of the preferences that the item matches; larger is better. */
  readonly weights = createFloatList();
  readonly limitStarts = createIntList();
  readonly limitIds = createIntList();
  readonly needStarts = createIntList();
  readonly needIds = createIntList();
  readonly caps = createIntList();
  /** By limit: index of its rule in the configuration. */
  readonly limitRules = createIntList();
  /** By need; what injected items serve is taken off. */
  readonly wants = createIntList();
  /** By need: index of its rule in the configuration. */
  readonly needRules = createIntList();
  /** By limit: how many injected items use it. */
  readonly injectedUses = createIntList();
  /** Items that are in the list whatever the rules say. */
  readonly injected: number[] = [];
  /** By rule. */
  readonly tallies: RuleTally[] = [];

  /** By rule: the limit of its max and the need of its min, or -1. */
  private readonly quotaLimits = createIntList();
  private readonly quotaNeeds = createIntList();
  /** By rule: the limits of a diversify rule's values seen so far. */
  private readonly valueLimits: ValueLimits[] = [];
  private readonly keys: ValueKey[] = [];
  /** Items already looked at for this list hold the current stamp. */
  private stamps = new Int32Array(0);
  private stamp = 0;
  private request!: PoolRequest;
  private relevance!: (position: number) => number;

  private addLimit(ruleIndex: number, max: number): number {
    this.caps.push(Math.min(max, unlimited));
    this.limitRules.push(ruleIndex);
    this.injectedUses.push(0);
    return this.caps.length - 1;
  }

  private addNeed(ruleIndex: number, min: number): number {
    this.wants.push(Math.min(min, unlimited));
    this.needRules.push(ruleIndex);
    return this.wants.length - 1;
  }

  private beginRule(rule: BoundRule, ruleIndex: number): void {
    this.tallies.push({ matched: 0, cut: 0 });
    const isQuota = rule.kind === 'quota';
    this.quotaLimits.push(isQuota && rule.max < unlimited ? this.addLimit(ruleIndex, rule.max) : -1);
    this.quotaNeeds.push(isQuota && rule.min > 0 ? this.addNeed(ruleIndex, rule.min) : -1);
    this.valueLimits[ruleIndex] ??= createValueLimits();
    this.valueLimits[ruleIndex].begin();
  }

  begin(next: PoolRequest): void {
    this.request = next;
    this.relevance = createRelevance(next.stream);
    for (const list of [
      this.items,
      this.positions,
      this.relevances,
      this.weights,
      this.limitStarts,
      this.limitIds,
      this.needStarts,
      this.needIds,
    ])
      list.clear();
    for (const list of [
      this.caps,
      this.limitRules,
      this.wants,
      this.needRules,
      this.injectedUses,
      this.quotaLimits,
      this.quotaNeeds,
    ])
      list.clear();
    this.tallies.length = 0;
    this.injected.length = 0;
    this.limitStarts.push(0);
    this.needStarts.push(0);
    this.stamps = grown(this.stamps, next.catalog.itemCount, 0);
    this.stamp += 1;
    for (const [ruleIndex, rule] of next.rules.entries()) this.beginRule(rule, ruleIndex);
  }

  private valueLimit(ruleIndex: number, max: number, key: ValueKey): number {
    const known = this.valueLimits[ruleIndex].limitOf(key);
    if (known >= 0) return known;
    const limit = this.addLimit(ruleIndex, max);
    this.valueLimits[ruleIndex].add(key, limit);
    return limit;
  }

  weightOf(itemIndex: number): number {
    let weight = 0;
    for (const preference of this.request.preferences)
      if (preference.set.has(itemIndex)) weight += preference.weight;
    return weight;
  }

  /** Appends what the item uses and serves to `limitIds` and `needIds`. */
  private appendGroups(itemIndex: number): void {
    const { rules } = this.request;
    for (let ruleIndex = 0; ruleIndex < rules.length; ruleIndex++) {
      const rule = rules[ruleIndex];
      if (rule.kind === 'quota' && rule.set.has(itemIndex)) {
        this.tallies[ruleIndex].matched += 1;
        if (this.quotaLimits.values[ruleIndex] >= 0) this.limitIds.push(this.quotaLimits.values[ruleIndex]);
        if (this.quotaNeeds.values[ruleIndex] >= 0) this.needIds.push(this.quotaNeeds.values[ruleIndex]);
      } else if (rule.kind === 'diversify' && rule.column) {
        const count = rule.column.valueKeysAt(itemIndex, this.keys);
        if (count > 0) this.tallies[ruleIndex].matched += 1;
        for (let k = 0; k < count; k++)
          this.limitIds.push(this.valueLimit(ruleIndex, rule.max, this.keys[k]));
      }
    }
  }

  private satisfiesMusts(itemIndex: number, tally: boolean): boolean {
    const { rules } = this.request;
    for (let ruleIndex = 0; ruleIndex < rules.length; ruleIndex++) {
      const rule = rules[ruleIndex];
      if (rule.kind !== 'must') continue;
      const satisfied = rule.set.has(itemIndex);
      if (tally) this.tallies[ruleIndex][satisfied ? 'matched' : 'cut'] += 1;
      if (!satisfied) return false;
    }
    return true;
  }

  private isAllowed(itemIndex: number): boolean {
    return (
      this.request.catalog.servable(itemIndex, this.request.nowMs) && !this.request.excluded?.(itemIndex)
    );
  }

  /** Looks at an item once per list and takes it in when it may be picked. */
  offer(itemIndex: number, position: number): void {
    if (this.stamps[itemIndex] === this.stamp) return;
    this.stamps[itemIndex] = this.stamp;
    if (this.isAllowed(itemIndex) && this.satisfiesMusts(itemIndex, true)) this.append(itemIndex, position);
  }

  /** Takes an item in that is known to be fresh. */
  take(itemIndex: number, position: number): void {
    if (this.stamps[itemIndex] === this.stamp) return;
    this.stamps[itemIndex] = this.stamp;
    const { rules } = this.request;
    for (let ruleIndex = 0; ruleIndex < rules.length; ruleIndex++)
      if (rules[ruleIndex].kind === 'must') this.tallies[ruleIndex].matched += 1;
    this.append(itemIndex, position);
  }

  private append(itemIndex: number, position: number): void {
    this.items.push(itemIndex);
    this.positions.push(position);
    this.relevances.push(this.relevance(position));
    this.weights.push(this.weightOf(itemIndex));
    this.appendGroups(itemIndex);
    this.limitStarts.push(this.limitIds.length);
    this.needStarts.push(this.needIds.length);
  }

  /** Counts an item that is in the list whatever the rules say; it is no candidate any more. */
  inject(itemIndex: number): void {
    this.stamps[itemIndex] = this.stamp;
    this.injected.push(itemIndex);
    this.appendGroups(itemIndex);
    for (let k = this.limitStarts.values[this.items.length]; k < this.limitIds.length; k++)
      this.injectedUses.values[this.limitIds.values[k]] += 1;
    for (let k = this.needStarts.values[this.items.length]; k < this.needIds.length; k++)
      this.wants.values[this.needIds.values[k]] -= 1;
    this.limitIds.length = this.limitStarts.values[this.items.length];
    this.needIds.length = this.needStarts.values[this.items.length];
  }

  /** The first limit the item would use that satisfies a condition, or -1; values nobody has used yet have no limit. */
  findLimit(itemIndex: number, condition: (limit: number) => boolean): number {
    const { rules } = this.request;
    for (let ruleIndex = 0; ruleIndex < rules.length; ruleIndex++) {
      const rule = rules[ruleIndex];
      const quotaLimit = this.quotaLimits.values[ruleIndex];
      if (rule.kind === 'quota' && quotaLimit >= 0 && rule.set.has(itemIndex) && condition(quotaLimit))
        return quotaLimit;
      if (rule.kind !== 'diversify' || !rule.column) continue;
      for (let k = rule.column.valueKeysAt(itemIndex, this.keys) - 1; k >= 0; k--) {
        const limit = this.valueLimits[ruleIndex].limitOf(this.keys[k]);
        if (limit >= 0 && condition(limit)) return limit;
      }
    }
    return -1;
  }

  /** The candidate that an item is, or -1. */
  candidateOf(itemIndex: number): number {
    return this.items.values.subarray(0, this.items.length).indexOf(itemIndex);
  }

  isInjected(itemIndex: number): boolean {
    return this.injected.includes(itemIndex);
  }

  /** Visits the values that have been seen of a diversify rule's key, each with its limit. */
  visitValueLimits(ruleIndex: number, visit: (key: ValueKey, limit: number) => void): void {
    this.valueLimits[ruleIndex].visit(visit);
  }

  /** The limit of a quota's max, or -1. */
  limitOfRule(ruleIndex: number): number {
    return this.quotaLimits.values[ruleIndex];
  }

  /** Not looked at yet, and nothing forbids picking it. */
  isFresh(itemIndex: number): boolean {
    return (
      this.stamps[itemIndex] !== this.stamp &&
      this.isAllowed(itemIndex) &&
      this.satisfiesMusts(itemIndex, false)
    );
  }

  get count(): number {
    return this.items.length;
  }
}
