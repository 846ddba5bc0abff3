import type { Catalog } from '../catalog/catalog.ts';
import { grown } from '../catalog/growth.ts';
import type { ValueKey } from '../catalog/typed-columns.ts';
import type { BoundPreference, BoundRule } from './bind-configuration.ts';
import type { CandidateStream } from './candidate-stream.ts';
import { createFloatList, createIntList } from './number-lists.ts';
import { createRelevance } from './relevance.ts';
import { createValueLimits, type ValueLimits } from './value-limits.ts';

type PoolRequest = {
  catalog: Catalog;
  rules: readonly BoundRule[];
  preferences: readonly BoundPreference[];
  nowMs: number;
  stream: CandidateStream;
  /** Items that must not be picked. */
  excluded?: (itemIndex: number) => boolean;
};

/** Counts of one rule. */
export type RuleTally = {
  /** Candidates and injected items that satisfy the condition, or have the key to diversify. */
  matched: number;
  /** Candidates that the rule excluded. */
  cut: number;
};

/** Stands for no limit: an int32 beyond the size of any list. */
export const unlimited = 0x7fffffff;

/**
 * The eligible candidates of one list as plain numbers, so that choosing depends neither on items
 * nor on rules.
 *
 * A candidate is a number below `count`. It uses *limits* (a quota's max, or a diversify rule's max
 * for one value: at most `caps[limit]` picked candidates use it) and serves *needs* (a quota's min:
 * at least `wants[need]` should serve it). Candidate c uses the limits limitIds[limitStarts[c] …
 * limitStarts[c + 1]), and serves needs likewise. All memory is reused for the next list.
 */
export class CandidatePool {
  readonly items = createIntList();
  /** Place in the stream of candidates; smaller is better. */
  readonly positions = createFloatList();
  /** See relevance.ts. */
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
  /** By need: its minimum less the injected items that serve it. */
  readonly wants = createIntList();
  /** By need: index of its rule in the configuration. */
  readonly needRules = createIntList();
  /** By limit: injected items that use it. */
  readonly injectedUses = createIntList();
  /** Items of the list that are exempt from the rules. */
  readonly injected: number[] = [];
  /** By rule. */
  readonly tallies: RuleTally[] = [];

  /** By rule: the limit of its max and the need of its min, or -1. */
  private readonly quotaLimits = createIntList();
  private readonly quotaNeeds = createIntList();
  /** By rule: the limits of a diversify rule's values so far. */
  private readonly valueLimits: ValueLimits[] = [];
  private readonly keys: ValueKey[] = [];
  /** By item: the current stamp if the item is already considered for this list. */
  private stamps = new Int32Array(0);
  private stamp = 0;
  private request!: PoolRequest;
  private relevance!: (position: number) => number;
  /** Everything that a new list clears. */
  private readonly lists = [
    ...[this.items, this.positions, this.relevances, this.weights],
    ...[this.limitStarts, this.limitIds, this.needStarts, this.needIds],
    ...[this.caps, this.limitRules, this.wants, this.needRules, this.injectedUses],
    ...[this.quotaLimits, this.quotaNeeds],
  ];

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
    for (const list of this.lists) list.clear();
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

  /** Appends the limits and needs of an item to `limitIds` and `needIds`. */
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

  /** Considers an item once per list and adds it if it may be picked. */
  offer(itemIndex: number, position: number): void {
    if (this.stamps[itemIndex] === this.stamp) return;
    this.stamps[itemIndex] = this.stamp;
    if (this.isAllowed(itemIndex) && this.satisfiesMusts(itemIndex, true)) this.append(itemIndex, position);
  }

  /** Adds an item for which `isFresh` is true. */
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

  /** Counts an injected item, which is then no candidate. */
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

  /** Returns the item's first limit that satisfies a condition, or -1. */
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

  /** Returns the candidate of an item, or -1. */
  candidateOf(itemIndex: number): number {
    return this.items.values.subarray(0, this.items.length).indexOf(itemIndex);
  }

  isInjected(itemIndex: number): boolean {
    return this.injected.includes(itemIndex);
  }

  /** Visits the values of a diversify rule's key so far, with their limits. */
  visitValueLimits(ruleIndex: number, visit: (key: ValueKey, limit: number) => void): void {
    this.valueLimits[ruleIndex].visit(visit);
  }

  /** Returns the limit of a quota's max, or -1. */
  limitOfRule(ruleIndex: number): number {
    return this.quotaLimits.values[ruleIndex];
  }

  /** Tells whether the item is not considered yet and may be picked. */
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
