/**
 * Composes one list: fills a pool of candidates, chooses among them, widens the pool while that
 * could help, and reports.
 *
 * A list always satisfies its musts, maximums, diversity limits and the ranks of injected items, has
 * items of one group at most where groups are never together, and contains no item twice. Among such lists the best is the first by, in this order:
 *
 * 1. minimums met, in order of declaration: the first if any list meets it, then the second given
 *    that, and so on;
 * 2. length: as many items as limits and catalogue then allow;
 * 3. the items towards each minimum that cannot be met, in order of declaration;
 * 4. total weight of matched preferences;
 * 5. total relevance, a number per item that decreases along the stream (relevance.ts).
 *
 * Greedy choice with reservation comes close. The exact step improves lists that are short, miss a
 * minimum or may be further than `gapBound` from the best. Counted steps bound it, so a very hard
 * list may miss the best and then reports it. Within the list, items are ordered by
 * weight, then relevance.
 */
import type { Catalog } from '../catalog/catalog.ts';
import { type Composition, composeApart, hasApart } from './apart.ts';
import type { BoundPreference, BoundRule } from './bind-configuration.ts';
import { CandidatePool, type RuleTally } from './candidate-pool.ts';
import type { CandidateStream } from './candidate-stream.ts';
import { Chooser } from './chooser.ts';
import { countsTowards, explainList, type ListFacts } from './explanation.ts';
import { type DrawnSlots, drawSlots, type SlotExploration } from './slot-draw.ts';
import { Sourcing } from './sourcing.ts';
import { type UnmetMinimum, UnmetReasons } from './unmet.ts';

/** An item at a rank that the caller set; ranks are distinct and within the list. */
export type InjectedItem = {
  /** From 1. */
  rank: number;
  /** Absent for an item that is not in the catalogue; it is placed and counts towards no quota. */
  itemIndex?: number;
  /** Whether the configuration pinned it; in a list that is too short, it then moves up. */
  isPin?: true;
};

/** Tells whether an injected item is shown: it must not be disabled or expired. */
export function isPlaced({ itemIndex }: InjectedItem, catalog: Catalog, nowMs: number): boolean {
  return itemIndex === undefined || catalog.isPresent(itemIndex, nowMs);
}

export type ComposeRequest = {
  catalog: Catalog;
  /** Wanted number of items, including injected ones. */
  size: number;
  stream: CandidateStream;
  rules: readonly BoundRule[];
  preferences: readonly BoundPreference[];
  injected?: readonly InjectedItem[];
  excluded?: (itemIndex: number) => boolean;
  nowMs: number;
  /** Adds facts about the list to the answer. */
  explain?: boolean;
  /** Draws some positions at random [none]. */
  exploration?: SlotExploration;
};

export type ComposedItem = {
  rank: number;
  itemIndex?: number;
  /** Total weight of the matched preferences. */
  weight: number;
  /** The caller's entry when the item was injected. */
  injected?: InjectedItem;
};

/** The effect of a rule, for explanations. */
type RuleCount = RuleTally & {
  /** Items of the list that satisfy the condition, or have the key to diversify. */
  counted: number;
};

export type ComposedList = {
  /** By rank. Ranks are missing only before injected items that are no pins, for lack of other items. */
  items: ComposedItem[];
  /** By index of the rule in the configuration. */
  rules: RuleCount[];
  unmet: UnmetMinimum[];
  /** Eligible candidates that were considered. */
  candidateCount: number;
  /** Share of the best possible relevance that may be missing; 1 if weight may be, too. */
  gapBound: number;
  /** With `explain`. */
  facts?: ListFacts;
  /** Nodes of the exact search; 0 when it was unnecessary. */
  nodeCount: number;
  /** The positions that exploration drew. */
  drawn?: DrawnSlots;
};

/** Composes one list at a time and reuses its memory. */
export type Composer = { compose(request: ComposeRequest): ComposedList };

/** Rounds of choosing and widening; a dozen reach the end of any catalogue. */
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
    if (!hasApart(request.rules)) return this.composeOne(request);
    const list = composeApart(request, (branch) => this.measured(branch));
    return { ...list, rules: countRules(request.rules, list.rules, list.items) };
  }

  private measured(request: ComposeRequest): Composition {
    const list = this.composeOne(request);
    const { picks } = this.chooser.selection;
    let relevance = 0;
    for (let k = 0; k < picks.length; k++) relevance += this.pool.relevances.values[picks.values[k]];
    return { list, relevance };
  }

  private composeOne(request: ComposeRequest): ComposedList {
    const { pool, chooser } = this;
    const { catalog, rules, size, nowMs } = request;
    const injected = (request.injected ?? []).filter((one) => isPlaced(one, catalog, nowMs));
    this.begin(request, injected);
    this.choose(size - injected.length);
    const ranks = freeRanks(size, injected);
    const places = this.picked();
    const { order, selection } = chooser;
    const drawn =
      request.exploration && drawSlots(places, ranks, request.exploration, { pool, selection, order });
    const items = this.listed(places, ranks, injected);
    const counts = countRules(rules, pool.tallies, items);
    return {
      items,
      rules: counts,
      unmet: this.unmetMinimums(request, counts),
      candidateCount: pool.count,
      gapBound: chooser.exactStep.gapBound,
      nodeCount: chooser.exactStep.nodes,
      drawn,
      ...(request.explain && { facts: explainList(request, items, pool, chooser) }),
    };
  }

  private begin(request: ComposeRequest, injected: readonly InjectedItem[]): void {
    this.pool.begin(request);
    for (const { itemIndex } of injected) if (itemIndex !== undefined) this.pool.inject(itemIndex);
    this.sourcing.begin(request);
    const far = request.catalog.itemCount;
    for (const itemIndex of request.exploration?.newest ?? []) this.pool.offer(itemIndex, far);
  }

  private choose(slots: number): void {
    const { chooser, sourcing } = this;
    chooser.choose(slots);
    if (sourcing.deepen(chooser.lastPickedPlace())) chooser.choose(slots);
    for (let round = 0; round < maxRounds && sourcing.widen(chooser.selection); round++)
      chooser.choose(slots);
    chooser.exactStep.run();
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

  /** Returns the picked candidates in order. */
  private picked(): number[] {
    const { order, selection } = this.chooser;
    const places: number[] = [];
    for (let place = 0; place < this.pool.count && places.length < selection.picks.length; place++) {
      const candidate = order.candidates.values[place];
      if (selection.isPicked(candidate)) places.push(candidate);
    }
    return places;
  }

  /** Returns the list: injected items at their ranks, picked ones in order between them. */
  private listed(
    places: readonly number[],
    ranks: readonly number[],
    injected: readonly InjectedItem[],
  ): ComposedItem[] {
    const items = places.map((candidate, place): ComposedItem => {
      const itemIndex = this.pool.items.values[candidate];
      return { rank: ranks[place], itemIndex, weight: this.pool.weights.values[candidate] };
    });
    if (injected.length === 0) return items;
    for (const one of injected) {
      const weight = one.itemIndex === undefined ? 0 : this.pool.weightOf(one.itemIndex);
      items.push({ rank: one.rank, itemIndex: one.itemIndex, weight, injected: one });
    }
    items.sort((a, b) => a.rank - b.rank);
    for (const [place, item] of items.entries())
      if (item.injected?.isPin) item.rank = (items[place - 1]?.rank ?? 0) + 1;
    return items;
  }
}

/** Returns the ranks that no injected item takes. */
function freeRanks(size: number, injected: readonly InjectedItem[]): number[] {
  const taken = new Set(injected.map(({ rank }) => rank));
  const ranks: number[] = [];
  for (let rank = 1; rank <= size; rank++) if (!taken.has(rank)) ranks.push(rank);
  return ranks;
}

export function createComposer(): Composer {
  return new ListComposer();
}
