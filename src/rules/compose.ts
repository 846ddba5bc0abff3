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
import { createCandidatePool, type RuleTally } from './candidate-pool.ts';
import { type CandidateStream, createStreamReader } from './candidate-stream.ts';
import { fill, reserve } from './greedy.ts';
import { createRepair } from './repair.ts';
import { createSelection } from './selection.ts';
import { createWidening } from './widening.ts';

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

export function createComposer(): Composer {
  const pool = createCandidatePool();
  const order = createCandidateOrder();
  const selection = createSelection();
  const repair = createRepair();
  const widening = createWidening();
  const reader = createStreamReader();
  let poolTarget = 0;
  let readTarget = 0;

  const attempt = (): void => {
    reserve(selection, order);
    fill(selection, order);
    repair.meetNeeds();
    fill(selection, order);
  };

  /** The first unmet need that still has slots reserved for it, or -1. */
  const firstUnmet = (): number => {
    for (let need = 0; need < pool.wants.length; need++) {
      if (selection.shortage(need) > 0 && selection.givenUp.values[need] === 0) return need;
    }
    return -1;
  };

  /** Chooses anew without reserving for needs that cannot be met: what they hold may cost later needs or length. */
  const choose = (slots: number): void => {
    order.sort(pool);
    selection.begin(pool, slots);
    repair.begin(selection, order);
    attempt();
    for (let need = firstUnmet(); need >= 0; need = firstUnmet()) {
      selection.givenUp.values[need] = 1;
      selection.restart();
      attempt();
    }
    if (pool.wants.length === 0) return;
    repair.approachNeeds();
    repair.improve();
  };

  /** Reads until the pool has `poolTarget` candidates, but not beyond place `readTarget` of the stream. */
  const readOn = (): void => {
    reader.readUntil(() => pool.count >= poolTarget || reader.position >= readTarget, pool.offer);
  };

  /** Reads so much further that a few times reach any catalogue's end. */
  const readFurther = (): void => {
    const before = pool.count;
    while (pool.count === before && !reader.isExhausted) {
      poolTarget = Math.max(poolTarget, pool.count) * growth;
      readTarget = Math.max(readTarget, reader.position) * growth;
      readOn();
    }
  };

  /** Fetches what a search found, or reads on when that is the better way; true when there are new candidates. */
  const fetch = (isComplete: boolean, { positionOf }: CandidateStream): boolean => {
    const before = pool.count;
    const { found } = widening;
    if (isComplete && found.length === 0) return false;
    if (!isComplete || !positionOf) readFurther();
    else for (let k = 0; k < found.length; k++) pool.offer(found.values[k], positionOf(found.values[k]));
    return pool.count > before;
  };

  const widen = ({ stream }: ComposeRequest): boolean => {
    if (reader.isExhausted) return false;
    if (fetch(widening.findForNeeds(selection), stream)) return true;
    if (selection.picks.length < selection.slots) return fetch(widening.findForLength(selection), stream);
    return fetch(widening.findHeavier(selection), stream);
  };

  /** Counts the candidates that limits kept out although worse ones, or none, are in the list. */
  const tallyCuts = (): void => {
    let left = selection.picks.length;
    for (let place = 0; place < order.candidates.length; place++) {
      if (left === 0 && selection.picks.length === selection.slots) return;
      const candidate = order.candidates.values[place];
      if (selection.isPicked(candidate)) left -= 1;
      else {
        const limit = selection.blockingLimit(candidate);
        if (limit >= 0) pool.tallies[pool.limitRules.values[limit]].cut += 1;
      }
    }
  };

  /** The list by rank: injected items at theirs, picked ones in order on the free ranks. */
  const listed = (size: number, injected: readonly InjectedItem[]): ComposedItem[] => {
    const items: ComposedItem[] = [];
    const byRank = new Map(injected.map((one) => [one.rank, one]));
    let place = 0;
    for (let rank = 1; rank <= size; rank++) {
      const placed = byRank.get(rank);
      if (placed) {
        const weight = placed.itemIndex === undefined ? 0 : pool.weightOf(placed.itemIndex);
        items.push({ rank, itemIndex: placed.itemIndex, weight, injected: placed });
        continue;
      }
      while (place < pool.count && !selection.isPicked(order.candidates.values[place])) place += 1;
      if (place === pool.count) continue;
      const candidate = order.candidates.values[place++];
      items.push({ rank, itemIndex: pool.items.values[candidate], weight: pool.weights.values[candidate] });
    }
    return items;
  };

  return {
    compose(request) {
      const { catalog, rules, size } = request;
      const isPlaced = ({ itemIndex }: InjectedItem) =>
        itemIndex === undefined || catalog.isEnabled(itemIndex);
      const injected = (request.injected ?? []).filter(isPlaced);
      const slots = size - injected.length;
      pool.begin(request);
      widening.begin(request);
      reader.begin(request.stream);
      repair.beginList();
      for (const { itemIndex } of injected) if (itemIndex !== undefined) pool.inject(itemIndex);
      poolTarget = Math.max(1, slots) * poolDepth;
      readTarget = poolTarget * readDepth;
      readOn();
      choose(slots);
      for (let round = 0; round < maxRounds && widen(request); round++) choose(slots);
      repair.lengthen();
      repair.approachNeeds();
      tallyCuts();
      const items = listed(size, injected);
      const counts = countRules(rules, pool.tallies, items);
      return { items, rules: counts, unmet: unmetMinimums(rules, counts), candidateCount: pool.count };
    },
  };
}
