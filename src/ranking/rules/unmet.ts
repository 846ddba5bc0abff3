/**
 * Explains why a minimum is not met: the first cause among catalogue, request and other rules.
 *
 * Matching items are counted through the stages of an item: servable, not excluded, each must in
 * turn. If enough pass, a limit or an earlier minimum is the cause: the first rule without which
 * the minimum would be met, or else the first rule whose limit excludes one of the items.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { BoundRule } from './bind-configuration.ts';
import { type CandidatePool, unlimited } from './candidate-pool.ts';
import { Chooser } from './chooser.ts';
import { wordOf } from './fresh-items.ts';
import type { ItemSet } from './match-sets.ts';
import type { Selection } from './selection.ts';

export type UnmetReason =
  /** `servable` counts the matching items in the catalogue, including injected ones. */
  | { kind: 'too_few_in_catalogue'; servable: number }
  /** Too many of the servable items are excluded for this request. */
  | { kind: 'excluded_for_user'; servable: number; excluded: number }
  /** The first conflicting rule: a must, a max, a diversity limit or an earlier minimum. */
  | { kind: 'in_conflict_with'; ruleIndex: number }
  /** The list has too few free places, after those of injected items. */
  | { kind: 'list_too_short'; slots: number };

export type UnmetMinimum = { ruleIndex: number; wanted: number; got: number; reason: UnmetReason };

type UnmetRequest = {
  catalog: Catalog;
  rules: readonly BoundRule[];
  nowMs: number;
  excluded?: (itemIndex: number) => boolean;
};

/** Matching items that are counted for one minimum; beyond them, enough are assumed to exist. */
const maxLooked = 50_000;

/** Lists that are composed again, each without one rule, to find conflicting rules. */
const maxTrials = 8;

/** Matching items with a check of their limits. */
const maxBlocked = 64;

type Passing = {
  servable: number;
  allowed: number;
  /** By rule: items that satisfy all musts up to it. */
  byRule: number[];
  /** Some items that pass all stages. */
  items: number[];
};

/** Visits the items of a set until `visit` returns false. */
function visitItems(set: ItemSet, itemCount: number, visit: (itemIndex: number) => boolean): void {
  for (let word = 0; word * 32 < itemCount; word++) {
    for (let bits = wordOf(set, word); bits !== 0; bits &= bits - 1) {
      const itemIndex = word * 32 + (31 - Math.clz32(bits & -bits));
      if (itemIndex < itemCount && set.has(itemIndex) && !visit(itemIndex)) return;
    }
  }
}

export class UnmetReasons {
  private readonly trial: Chooser;
  private readonly pool: CandidatePool;
  private readonly selection: Selection;
  private request!: UnmetRequest;
  private trialsLeft = 0;

  constructor(pool: CandidatePool, selection: Selection) {
    this.pool = pool;
    this.selection = selection;
    this.trial = new Chooser(pool);
  }

  /** To be called once for each list, when it is chosen. */
  begin(request: UnmetRequest): void {
    this.request = request;
    this.trialsLeft = maxTrials;
  }

  /** @param wanted how many items the rule's minimum wants, injected ones included */
  reasonFor(ruleIndex: number, wanted: number): UnmetReason {
    const need = this.pool.needRules.values.subarray(0, this.pool.needRules.length).indexOf(ruleIndex);
    const missing = this.pool.wants.values[need];
    const placed = wanted - missing;
    const passing = this.countPassing(ruleIndex, missing);
    const { servable, allowed } = passing;
    if (servable < missing) return { kind: 'too_few_in_catalogue', servable: servable + placed };
    if (allowed < missing)
      return { kind: 'excluded_for_user', servable: servable + placed, excluded: servable - allowed };
    const must = this.request.rules.findIndex(
      ({ kind }, index) => kind === 'must' && passing.byRule[index] < missing,
    );
    if (must >= 0) return { kind: 'in_conflict_with', ruleIndex: must };
    const { slots } = this.selection;
    if (missing > slots) return { kind: 'list_too_short', slots };
    const rule = this.ruleToDrop(need) ?? this.blockingRule(passing.items) ?? this.earlierMinimum(need);
    return rule === undefined
      ? { kind: 'list_too_short', slots }
      : { kind: 'in_conflict_with', ruleIndex: rule };
  }

  /** Counts matching items that are not injected, stage by stage, until enough pass all of them. */
  private countPassing(ruleIndex: number, missing: number): Passing {
    const { catalog, rules } = this.request;
    const { set } = rules[ruleIndex] as { set: ItemSet };
    const passing: Passing = { servable: 0, allowed: 0, byRule: rules.map(() => 0), items: [] };
    let [looked, passed] = [0, 0];
    visitItems(set, catalog.itemCount, (itemIndex) => {
      looked += 1;
      if (!this.pool.isInjected(itemIndex) && this.passes(itemIndex, passing)) {
        passed += 1;
        if (passing.items.length < maxBlocked) passing.items.push(itemIndex);
      }
      return passed < missing + maxBlocked && looked < maxLooked;
    });
    return looked < maxLooked ? passing : { ...passing, servable: Infinity, allowed: Infinity };
  }

  private passes(itemIndex: number, passing: Passing): boolean {
    const { catalog, rules, nowMs, excluded } = this.request;
    if (!catalog.servable(itemIndex, nowMs)) return false;
    passing.servable += 1;
    if (excluded?.(itemIndex)) return false;
    passing.allowed += 1;
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index];
      if (rule.kind === 'must' && !rule.set.has(itemIndex)) return false;
      passing.byRule[index] += 1;
    }
    return true;
  }

  /** Returns the first rule without which the need could be met. */
  private ruleToDrop(need: number): number | undefined {
    const { rules } = this.request;
    const needRule = this.pool.needRules.values[need];
    for (let ruleIndex = 0; ruleIndex < rules.length && this.trialsLeft > 0; ruleIndex++) {
      const rule = rules[ruleIndex];
      const canConflict =
        rule.kind === 'diversify' ||
        (rule.kind === 'quota' && (rule.max < unlimited || (rule.min > 0 && ruleIndex < needRule)));
      if (canConflict && this.isMetWithout(ruleIndex, need)) return ruleIndex;
    }
    return undefined;
  }

  private isMetWithout(ruleIndex: number, need: number): boolean {
    const { caps, wants } = this.pool;
    this.trialsLeft -= 1;
    const [savedCaps, savedWants] = [caps, wants].map(({ values, length }) => values.slice(0, length));
    for (let limit = 0; limit < caps.length; limit++)
      if (this.pool.limitRules.values[limit] === ruleIndex) caps.values[limit] = unlimited;
    for (let other = 0; other < wants.length; other++)
      if (other !== need && this.pool.needRules.values[other] === ruleIndex) wants.values[other] = 0;
    this.trial.choose(this.selection.slots);
    const isMet = this.trial.selection.shortage(need) <= 0;
    caps.values.set(savedCaps);
    wants.values.set(savedWants);
    return isMet;
  }

  /** Returns the first rule with a limit that excludes one of the items. */
  private blockingRule(items: readonly number[]): number | undefined {
    const rules = items
      .map((itemIndex) => this.pool.findLimit(itemIndex, (limit) => this.selection.isFull(limit)))
      .filter((limit) => limit >= 0)
      .map((limit) => this.pool.limitRules.values[limit]);
    return rules.length > 0 ? Math.min(...rules) : undefined;
  }

  private earlierMinimum(need: number): number | undefined {
    for (let other = 0; other < need; other++)
      if (this.pool.wants.values[other] > 0) return this.pool.needRules.values[other];
    return undefined;
  }
}
