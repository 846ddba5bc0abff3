import type { Catalog } from '../catalog/catalog.ts';
import type { BoundPreference, BoundRule } from './bind-configuration.ts';
import { scanFreshItems, type WantedSets } from './fresh-items.ts';
import type { ItemSet } from './match-sets.ts';
import { createFloatList, createIntList } from './number-lists.ts';
import type { Selection } from './selection.ts';

/** Most items that are fetched one by one. */
const maxFetched = 1024;

/** Items that need an exchange are searched only while the pool has fewer candidates. */
const exchangePool = 2000;

export type WideningRequest = {
  catalog: Catalog;
  rules: readonly BoundRule[];
  preferences: readonly BoundPreference[];
};

/**
 * Finds items beyond the current candidates that could still change the list.
 *
 * Preferences, quotas and the list's length concern the whole catalogue. Instead of reading the
 * stream of candidates to its end, the search scans the match sets for items that serve an unmet
 * need, lengthen a short list, or are heavier than an item that they could replace. More than
 * `maxFetched` such items are frequent enough to be found in order by reading on.
 *
 * Each search replaces `found` and returns false when there are too many items to fetch.
 */
export class Widening {
  readonly found = createIntList();
  /** By limit: 1 while no item that uses it can help. */
  private readonly closedLimits = createIntList();
  /** By limit: the weight that an item must exceed; -Infinity while it is not full. */
  private readonly limitFloors = createFloatList();
  private request!: WideningRequest;
  private positiveWeight = 0;

  private keep(itemIndex: number): boolean {
    this.found.push(itemIndex);
    return this.found.length <= maxFetched;
  }

  private visitLimits({ pool }: Selection, candidate: number, visit: (limit: number) => void): void {
    const end = pool.limitStarts.values[candidate + 1];
    for (let k = pool.limitStarts.values[candidate]; k < end; k++) visit(pool.limitIds.values[k]);
  }

  /** Closes full limits, except those of a picked candidate with a useful exchange. */
  private closeLimits(selection: Selection, gains: (candidate: number) => boolean): void {
    const { picks, pool } = selection;
    this.closedLimits.fill(pool.caps.length, 0);
    for (let limit = 0; limit < this.closedLimits.length; limit++) {
      this.closedLimits.values[limit] = selection.isFull(limit) ? 1 : 0;
    }
    if (pool.count >= exchangePool) return;
    for (let k = 0; k < picks.length; k++) {
      if (!gains(picks.values[k])) continue;
      this.visitLimits(selection, picks.values[k], (limit) => {
        this.closedLimits.values[limit] = 0;
      });
    }
  }

  private usesSeveralFullLimits(selection: Selection, candidate: number): boolean {
    let fullCount = 0;
    this.visitLimits(selection, candidate, (limit) => {
      if (selection.isFull(limit)) fullCount += 1;
    });
    return fullCount > 1;
  }

  private find({ pool }: Selection, wanted: WantedSets, isWanted: (itemIndex: number) => boolean): boolean {
    const { catalog, rules } = this.request;
    const scan = { catalog, rules, pool, closedLimits: this.closedLimits, wanted, isWanted };
    return scanFreshItems(scan, (itemIndex) => this.keep(itemIndex));
  }

  private setOfNeed(selection: Selection, need: number): ItemSet {
    const rule = this.request.rules[selection.pool.needRules.values[need]];
    return (rule as { set: ItemSet }).set;
  }

  /** Tells whether the pool has enough candidates for the need that lack only a slot. */
  private hasSupply(selection: Selection, need: number): boolean {
    let lacking = selection.shortage(need);
    for (let candidate = 0; candidate < selection.pool.count && lacking > 0; candidate++) {
      if (!selection.serves(candidate, need) || selection.isPicked(candidate)) continue;
      if (selection.blockingLimit(candidate) < 0) lacking -= 1;
    }
    return lacking <= 0;
  }

  /** Tells whether a need would fall short without the picked candidate. */
  private isTight(selection: Selection, candidate: number): boolean {
    const { needStarts, needIds } = selection.pool;
    for (let k = needStarts.values[candidate]; k < needStarts.values[candidate + 1]; k++) {
      if (selection.shortage(needIds.values[k]) >= 0) return true;
    }
    return false;
  }

  /** Returns the least weight of the picked candidates that satisfy a condition. */
  private leastWeight(
    { picks, pool }: Selection,
    condition: (candidate: number) => boolean = () => true,
  ): number {
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < picks.length; k++) {
      const weight = pool.weights.values[picks.values[k]];
      if (weight < least && condition(picks.values[k])) least = weight;
    }
    return least;
  }

  private measureLimitFloors(selection: Selection): void {
    const { picks, pool } = selection;
    this.limitFloors.fill(pool.caps.length, Number.POSITIVE_INFINITY);
    this.closedLimits.fill(pool.caps.length, 0);
    for (let k = 0; k < picks.length; k++) {
      const weight = pool.weights.values[picks.values[k]];
      this.visitLimits(selection, picks.values[k], (limit) => {
        if (weight < this.limitFloors.values[limit]) this.limitFloors.values[limit] = weight;
      });
    }
    for (let limit = 0; limit < this.limitFloors.length; limit++) {
      if (!selection.isFull(limit)) this.limitFloors.values[limit] = Number.NEGATIVE_INFINITY;
      if (this.limitFloors.values[limit] >= this.positiveWeight) this.closedLimits.values[limit] = 1;
    }
  }

  /** Returns the sets of items that are heavier than `threshold`, and in `among` if given. */
  private heavierSets(threshold: number, among?: ItemSet): WantedSets {
    const heavy = this.request.preferences.filter(({ weight }) => weight > 0);
    const needed = heavy.filter(({ weight }) => this.positiveWeight - weight <= threshold);
    const all = needed.map(({ set }) => set);
    if (among) all.push(among);
    if (threshold < 0 || needed.length > 0) return { all };
    return { all, some: heavy.map(({ set }) => set) };
  }

  /** Searches items heavier than `threshold` that no full limit excludes, in `among` if given. */
  private findAbove(selection: Selection, threshold: number, among?: ItemSet): boolean {
    if (threshold >= this.positiveWeight) return true;
    const { pool } = selection;
    return this.find(selection, this.heavierSets(threshold, among), (itemIndex) => {
      const weight = pool.weightOf(itemIndex);
      if (weight <= threshold || (among && !among.has(itemIndex))) return false;
      return pool.findLimit(itemIndex, (limit) => this.limitFloors.values[limit] >= weight) < 0;
    });
  }

  begin(request: WideningRequest): void {
    this.request = request;
    this.positiveWeight = request.preferences.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  }

  /** Searches items for needs that fall short. */
  findForNeeds(selection: Selection): boolean {
    this.found.clear();
    for (let need = 0; need < selection.pool.wants.length; need++) {
      if (selection.shortage(need) <= 0) continue;
      if (selection.pool.count >= exchangePool && this.hasSupply(selection, need)) continue;
      const set = this.setOfNeed(selection, need);
      this.closeLimits(selection, (candidate) => !selection.serves(candidate, need));
      if (!this.find(selection, { all: [set] }, set.has)) return false;
    }
    return true;
  }

  /** Searches items for a list that is too short. */
  findForLength(selection: Selection): boolean {
    this.found.clear();
    this.closeLimits(selection, (candidate) => this.usesSeveralFullLimits(selection, candidate));
    return this.find(selection, { all: [] }, () => true);
  }

  /** Searches items that are heavier than picked ones that they could replace. */
  findHeavier(selection: Selection): boolean {
    this.found.clear();
    if (this.leastWeight(selection) >= this.positiveWeight) return true;
    this.measureLimitFloors(selection);
    const loose = this.leastWeight(selection, (candidate) => !this.isTight(selection, candidate));
    if (!this.findAbove(selection, loose)) return false;
    for (let need = 0; need < selection.pool.wants.length; need++) {
      if (selection.shortage(need) < 0) continue;
      const least = this.leastWeight(selection, (candidate) => selection.serves(candidate, need));
      if (!this.findAbove(selection, least, this.setOfNeed(selection, need))) return false;
    }
    return true;
  }
}
