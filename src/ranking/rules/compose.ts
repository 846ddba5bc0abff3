/**
 * Composes one list: fills a pool of candidates, chooses among them, widens the pool while that could help, and reports.
 *
 * What is never broken: a must, a max, a diversify limit, an injected item's rank, and that no item comes twice. Of all lists
 * that keep this, the one is wanted that comes first by, in this order:
 *
 * 1. minimums met, in order of declaration: the first if any list meets it, then the second given that, and so on;
 * 2. length: never fewer items than limits and catalogue then allow;
 * 3. how far each minimum that cannot be met is served, in order of declaration;
 * 4. total weight of matched preferences;
 * 5. total relevance, a number per item that falls along the stream (relevance.ts).
 *
 * Greedy choice with reservation and exchanges comes near; the exact step settles what it left unmet, short or more than
 * `gapBound` from the best. Both are bounded by counted steps, so a very hard list may miss the best, and then says so.
 * Within the list, items stand by weight, then relevance.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { BoundPreference, BoundRule } from './bind-configuration.ts';
import { CandidatePool, type RuleTally } from './candidate-pool.ts';
import type { CandidateStream } from './candidate-stream.ts';
import { Chooser } from './chooser.ts';
import { countsTowards, explainList, type ListFacts } from './explanation.ts';
import { Sourcing } from './sourcing.ts';
import { type UnmetMinimum, UnmetReasons } from './unmet.ts';

/** An item that the caller placed. Ranks and items are distinct, and no rank is above the list's size. */
export type InjectedItem = {
  /** Counting from 1. */
  rank: number;
  /** Absent for an item that the catalogue does not know: it is placed and counts in no quota. */
  itemIndex?: number;
};

/** What is disabled or has expired is dropped. */
export function isPlaced({ itemIndex }: InjectedItem, catalog: Catalog, nowMs: number): boolean {
  return itemIndex === undefined || catalog.isPresent(itemIndex, nowMs);
}

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
  /** Adds facts about the list to the answer. */
  explain?: boolean;
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

export type ComposedList = {
  /** By rank. A rank is missing only below an injected item's when there are too few other items. */
  items: ComposedItem[];
  /** By index of the rule in the configuration. */
  rules: RuleCount[];
  unmet: UnmetMinimum[];
  /** Eligible candidates that were weighed. */
  candidateCount: number;
  /** At most this share of the best possible relevance is missing; 1 when weight could be missing too. */
  gapBound: number;
  /** With `explain`. */
  facts?: ListFacts;
  /** What the exact search visited; 0 when the bound or the rules' structure made it needless. */
  nodeCount: number;
};

/** Keeps its memory between lists; composes one list at a time. */
export type Composer = { compose(request: ComposeRequest): ComposedList };

/** Rounds of choosing and widening; the growth alone reaches any catalogue in a dozen. */
const maxRounds = 24;

function countRules(rules: readonly BoundRule[], tallies: RuleTally[], items: ComposedItem[]): RuleCount[] {
  return rules.map((rule, ruleIndex) => {
    let counted = 0;
    for (const { itemIndex } of items)
      if (itemIndex !== undefined && countsTowards(rule, itemIndex)) counted += 1;
    return { ...tallies[ruleIndex], counted };
  });
}

class ListComposer implements Composer {
  private readonly pool = new CandidatePool();
  private readonly chooser = new Chooser(this.pool);
  private readonly sourcing = new Sourcing(this.pool);
  private readonly unmetReasons = new UnmetReasons(this.pool, this.chooser.selection);

  compose(request: ComposeRequest): ComposedList {
    const { pool, chooser } = this;
    const { catalog, rules, size, nowMs } = request;
    const injected = (request.injected ?? []).filter((one) => isPlaced(one, catalog, nowMs));
    this.begin(request, injected);
    this.choose(size - injected.length);
    const items = this.listed(size, injected);
    const counts = countRules(rules, pool.tallies, items);
    return {
      items,
      rules: counts,
      unmet: this.unmetMinimums(request, counts),
      candidateCount: pool.count,
      gapBound: chooser.exactStep.gapBound,
      nodeCount: chooser.exactStep.nodes,
      ...(request.explain && { facts: explainList(request, items, pool, chooser) }),
    };
  }

  private begin(request: ComposeRequest, injected: readonly InjectedItem[]): void {
    this.pool.begin(request);
    this.chooser.begin();
    for (const { itemIndex } of injected) if (itemIndex !== undefined) this.pool.inject(itemIndex);
    this.sourcing.begin(request);
  }

  private choose(slots: number): void {
    const { chooser, sourcing } = this;
    chooser.choose(slots);
    if (sourcing.deepen(chooser.lastPickedPlace())) chooser.choose(slots);
    for (let round = 0; round < maxRounds && sourcing.widen(chooser.selection); round++)
      chooser.choose(slots);
    chooser.finish();
    chooser.tallyCuts();
  }

  private unmetMinimums(request: ComposeRequest, counts: RuleCount[]): UnmetMinimum[] {
    this.unmetReasons.begin(request);
    return request.rules.flatMap((rule, ruleIndex) => {
      const got = counts[ruleIndex].counted;
      if (rule.kind !== 'quota' || got >= rule.min) return [];
      const reason = this.unmetReasons.reasonFor(ruleIndex, rule.min);
      return [{ ruleIndex, wanted: rule.min, got, reason }];
    });
  }

  /** The list by rank: injected items at theirs, picked ones in order on the free ranks. */
  private listed(size: number, injected: readonly InjectedItem[]): ComposedItem[] {
    const items: ComposedItem[] = [];
    const { order, selection } = this.chooser;
    const byRank = new Map(injected.map((one) => [one.rank, one]));
    let place = 0;
    for (let rank = 1; rank <= size; rank++) {
      const placed = byRank.get(rank);
      if (placed) {
        const weight = placed.itemIndex === undefined ? 0 : this.pool.weightOf(placed.itemIndex);
        items.push({ rank, itemIndex: placed.itemIndex, weight, injected: placed });
        continue;
      }
      while (place < this.pool.count && !selection.isPicked(order.candidates.values[place])) place += 1;
      if (place === this.pool.count) continue;
      const candidate = order.candidates.values[place++];
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
