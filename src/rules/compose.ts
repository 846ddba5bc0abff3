/**
 * Picks the items of one list: pool → order → reserve → fill → repair, then widen the pool while that could help.
 *
 * What is never broken: a must, a max, a diversify limit, an injected item's rank, and that no item comes twice. Within that, in
 * this order: minimums in order of declaration, length, total preference weight, the stream's order. A step can be
 * replaced by a better one (an exact solver for the selection) as long as it changes the list through Selection.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { BoundPreference, BoundRule } from './bind-configuration.ts';
import { createCandidateOrder } from './candidate-order.ts';
import { CandidatePool, type RuleTally } from './candidate-pool.ts';
import { type CandidateStream, createStreamReader } from './candidate-stream.ts';
import { fill, reserve } from './greedy.ts';
import { Repair } from './repair.ts';
import { Selection } from './selection.ts';
import { Widening } from './widening.ts';

/** An item that the caller placed. Ranks and items are distinct, and no rank is above the list's size. */
export type InjectedItem = {
  /** Counting from 1. */
  rank: number;
  /** Absent for an item that the catalogue does not know: it is placed and counts in no quota. */
  itemIndex?: number;
};

export type ComposeRequest = {
  catalog: Catalog;
  /** How many items the list should hold, injected ones included. */
  size: number;
  stream: CandidateStream;
  rules: readonly BoundRule[];
  preferences: readonly BoundPreference[];
  injected?: readonly InjectedItem[];
  excluded?: (itemIndex: number) => boolean;
  nowMs: number;
};

export type ComposedItem = {
  rank: number;
  itemIndex?: number;
  /** Total weight of the preferences it matches. */
  weight: number;
  /** The caller's entry when the item was injected. */
  injected?: InjectedItem;
};

/** What a rule did, for explanations. */
export type RuleCount = RuleTally & {
  /** Items of the list that satisfy the condition, or have the key to diversify. */
  counted: number;
};

export type UnmetMinimum = { ruleIndex: number; wanted: number; got: number };

export type ComposedList = {
  /** By rank. A rank is missing only below an injected item's when there are too few other items. */
  items: ComposedItem[];
  /** By index of the rule in the configuration. */
  rules: RuleCount[];
  unmet: UnmetMinimum[];
  /** Eligible candidates that were weighed. */
  candidateCount: number;
};

/** Keeps its memory between lists; composes one list at a time. */
export type Composer = { compose(request: ComposeRequest): ComposedList };

/** Candidates per slot before rules: deep enough that quotas seldom need more. */
const poolDepth = 10;

/** Candidates of the stream that are looked at first, as a multiple of those wanted: rare ones are then searched directly. */
const readDepth = 4;

/** Each time the stream is read further, it is by this factor. */
const growth = 4;

/** Rounds of choosing and widening; the growth alone reaches any catalogue in a dozen. */
const maxRounds = 24;

function countedBy(rule: BoundRule, itemIndex: number): boolean {
  if (rule.kind === 'dropped') return false;
  if (rule.kind === 'diversify') return (rule.column?.valueKeysAt(itemIndex, []) ?? 0) > 0;
  return rule.set.has(itemIndex);
}

function countRules(rules: readonly BoundRule[], tallies: RuleTally[], items: ComposedItem[]): RuleCount[] {
  return rules.map((rule, ruleIndex) => {
    let counted = 0;
    for (const { itemIndex } of items)
      if (itemIndex !== undefined && countedBy(rule, itemIndex)) counted += 1;
    return { ...tallies[ruleIndex], counted };
  });
}

function unmetMinimums(rules: readonly BoundRule[], counts: RuleCount[]): UnmetMinimum[] {
  return rules.flatMap((rule, ruleIndex) => {
    const got = counts[ruleIndex].counted;
    return rule.kind === 'quota' && got < rule.min ? [{ ruleIndex, wanted: rule.min, got }] : [];
  });
}

class ListComposer implements Composer {
  private readonly pool = new CandidatePool();
  private readonly order = createCandidateOrder();
  private readonly selection = new Selection();
  private readonly repair = new Repair();
  private readonly widening = new Widening();
  private readonly reader = createStreamReader();
  /** Candidates wanted in the pool, and the place of the stream not to read beyond for them. */
  private poolTarget = 0;
  private readTarget = 0;

  compose(request: ComposeRequest): ComposedList {
    const { pool, repair } = this;
    const { catalog, rules, size } = request;
    const isPlaced = ({ itemIndex }: InjectedItem) => itemIndex === undefined || catalog.isEnabled(itemIndex);
    const injected = (request.injected ?? []).filter(isPlaced);
    this.begin(request, injected);
    this.choose(size - injected.length);
    for (let round = 0; round < maxRounds && this.widen(request); round++)
      this.choose(size - injected.length);
    repair.lengthen();
    repair.approachNeeds();
    this.tallyCuts();
    const items = this.listed(size, injected);
    const counts = countRules(rules, pool.tallies, items);
    return { items, rules: counts, unmet: unmetMinimums(rules, counts), candidateCount: pool.count };
  }

  private begin(request: ComposeRequest, injected: readonly InjectedItem[]): void {
    this.pool.begin(request);
    this.widening.begin(request);
    this.reader.begin(request.stream);
    this.repair.beginList();
    for (const { itemIndex } of injected) if (itemIndex !== undefined) this.pool.inject(itemIndex);
    this.poolTarget = Math.max(1, request.size) * poolDepth;
    this.readTarget = this.poolTarget * readDepth;
    this.readOn();
  }

  private attempt(): void {
    reserve(this.selection, this.order);
    fill(this.selection, this.order);
    this.repair.meetNeeds();
    fill(this.selection, this.order);
  }

  /** The first unmet need that still has slots reserved for it, or -1. */
  private firstUnmet(): number {
    for (let need = 0; need < this.pool.wants.length; need++) {
      if (this.selection.shortage(need) > 0 && this.selection.givenUp.values[need] === 0) return need;
    }
    return -1;
  }

  /** Chooses anew without reserving for needs that cannot be met: what they hold may cost later needs or length. */
  private choose(slots: number): void {
    this.order.sort(this.pool);
    this.selection.begin(this.pool, slots);
    this.repair.begin(this.selection, this.order);
    this.attempt();
    for (let need = this.firstUnmet(); need >= 0; need = this.firstUnmet()) {
      this.selection.givenUp.values[need] = 1;
      this.selection.restart();
      this.attempt();
    }
    if (this.pool.wants.length === 0) return;
    this.repair.approachNeeds();
    this.repair.improve();
  }

  /** Reads until the pool has `poolTarget` candidates, but not beyond place `readTarget` of the stream. */
  private readOn(): void {
    this.reader.readUntil(
      () => this.pool.count >= this.poolTarget || this.reader.position >= this.readTarget,
      (itemIndex, position) => this.pool.offer(itemIndex, position),
    );
  }

  /** Reads so much further that a few times reach any catalogue's end. */
  private readFurther(): void {
    const before = this.pool.count;
    while (this.pool.count === before && !this.reader.isExhausted) {
      this.poolTarget = Math.max(this.poolTarget, this.pool.count) * growth;
      this.readTarget = Math.max(this.readTarget, this.reader.position) * growth;
      this.readOn();
    }
  }

  /** Fetches what a search found, or reads on when that is the better way; true when there are new candidates. */
  private fetch(isComplete: boolean, stream: CandidateStream): boolean {
    const { pool, widening } = this;
    const before = pool.count;
    if (isComplete && widening.found.length === 0) return false;
    if (!isComplete || !stream.positionOf) this.readFurther();
    else this.offerFound(stream.positionOf.bind(stream));
    return pool.count > before;
  }

  private offerFound(positionOf: (itemIndex: number) => number): void {
    const { found } = this.widening;
    for (let k = 0; k < found.length; k++) this.pool.offer(found.values[k], positionOf(found.values[k]));
  }

  private widen({ stream }: ComposeRequest): boolean {
    if (this.reader.isExhausted) return false;
    if (this.fetch(this.widening.findForNeeds(this.selection), stream)) return true;
    if (this.selection.picks.length < this.selection.slots)
      return this.fetch(this.widening.findForLength(this.selection), stream);
    return this.fetch(this.widening.findHeavier(this.selection), stream);
  }

  /** Counts the candidates that limits kept out although worse ones, or none, are in the list. */
  private tallyCuts(): void {
    let left = this.selection.picks.length;
    for (let place = 0; place < this.order.candidates.length; place++) {
      if (left === 0 && this.selection.picks.length === this.selection.slots) return;
      const candidate = this.order.candidates.values[place];
      if (this.selection.isPicked(candidate)) left -= 1;
      else {
        const limit = this.selection.blockingLimit(candidate);
        if (limit >= 0) this.pool.tallies[this.pool.limitRules.values[limit]].cut += 1;
      }
    }
  }

  /** The list by rank: injected items at theirs, picked ones in order on the free ranks. */
  private listed(size: number, injected: readonly InjectedItem[]): ComposedItem[] {
    const items: ComposedItem[] = [];
    const byRank = new Map(injected.map((one) => [one.rank, one]));
    let place = 0;
    for (let rank = 1; rank <= size; rank++) {
      const placed = byRank.get(rank);
      if (placed) {
        const weight = placed.itemIndex === undefined ? 0 : this.pool.weightOf(placed.itemIndex);
        items.push({ rank, itemIndex: placed.itemIndex, weight, injected: placed });
        continue;
      }
      while (place < this.pool.count && !this.selection.isPicked(this.order.candidates.values[place]))
        place += 1;
      if (place === this.pool.count) continue;
      const candidate = this.order.candidates.values[place++];
      items.push({
        rank,
        itemIndex: this.pool.items.values[candidate],
        weight: this.pool.weights.values[candidate],
      });
    }
    return items;
  }
}

export function createComposer(): Composer {
  return new ListComposer();
}
