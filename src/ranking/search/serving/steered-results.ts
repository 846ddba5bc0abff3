/** The results of a search as configurations want them: what may be found, in which order, and what stands at a fixed place. */
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import { type BoundRule, bindConfiguration } from '../../rules/bind-configuration.ts';
import { type Composer, createComposer } from '../../rules/compose.ts';
import type { ItemSet } from '../../rules/match-sets.ts';
import type { Scalar } from '../../rules/types.ts';
import type { Hit, ResultList, SearchRequest, SearchResult } from '../search.ts';
import type { Shortage } from './served-search.ts';
import type { Steer } from './steering.ts';

/** Results that preferences and limits choose among; what comes later stands as it is found. */
const windowSize = 1_000;

/** What the configurations did, for explanations. */
export type SteeredFacts = {
  steers: readonly (Steer & { unmet: Shortage[] })[];
  weightOf(itemIndex: number): number;
  pinnedBy(itemIndex: number): string | undefined;
  /** What keeps an item from being found. */
  barrierTo(itemIndex: number): { reason: 'hidden' | 'constrained'; configurationId: string } | undefined;
};

export type SteeredResult = { result: SearchResult; facts: SteeredFacts };

export type SteeredSearch = {
  environment: ServingEnvironment;
  asked: Omit<SearchRequest, 'admits'>;
  steers: readonly Steer[];
  /** Variables of conditions. */
  variables: ReadonlyMap<string, Scalar>;
};

/** The function makes one result at a time. */
export function createSteeredResults(): (search: SteeredSearch) => SteeredResult {
  const composer = createComposer();
  return (search) => {
    const bound = search.steers.flatMap((steer) => bindSteer(steer, search));
    const unmet = new Map<string, Shortage[]>();
    const arrange = createArrangement(bound, search, { composer, unmet });
    const barrierTo = barrierOf(bound);
    const admits = (itemIndex: number) => barrierTo(itemIndex) === undefined;
    const result = arrangedResult(search.environment, { ...search.asked, admits }, arrange);
    const steers = bound.map(({ steer }) => ({
      ...steer,
      unmet: unmet.get(steer.configuration.configurationId) ?? [],
    }));
    const { weightOf, pinnedBy } = arrange;
    return { result, facts: { steers, weightOf, pinnedBy, barrierTo } };
  };
}

type Limit = { rule: BoundRule; constraintIndex: number };

type BoundSteer = {
  steer: Steer;
  musts: readonly ItemSet[];
  limits: readonly Limit[];
  preferences: readonly { set: ItemSet; weight: number }[];
  hidden: ReadonlySet<number>;
};

/** None when a variable is missing, which its check lets happen for nothing that a search has. */
function bindSteer(steer: Steer, { environment, asked, variables }: SteeredSearch): BoundSteer[] {
  const { catalog, matchSets } = environment;
  const { rules, search } = steer.configuration;
  const lookUp = ({ name, context }: { name: string; context: string }) =>
    context === 'request_body' ? variables.get(name) : undefined;
  const binding = bindConfiguration(rules, { catalog, matchSets, variables: lookUp, nowMs: asked.nowMs });
  if (binding.outcome === 'missing') return [];
  return [
    {
      steer,
      musts: binding.rules.flatMap((rule) => (rule.kind === 'must' ? [rule.set] : [])),
      limits: binding.rules
        .map((rule, constraintIndex) => ({ rule, constraintIndex }))
        .filter(({ rule: { kind } }) => kind === 'quota' || kind === 'diversify'),
      preferences: binding.preferences,
      hidden: hiddenItems(search.hides, environment),
    },
  ];
}

function hiddenItems(
  hides: Steer['configuration']['search']['hides'],
  { catalog, settings }: ServingEnvironment,
): ReadonlySet<number> {
  const indexes = hides.flatMap(({ itemId, itemType }) =>
    (itemType === undefined ? [...settings.itemTypes.keys()] : [itemType]).map((type) =>
      catalog.indexOf(type, itemId),
    ),
  );
  return new Set(indexes.filter((itemIndex) => itemIndex !== undefined));
}

function barrierOf(bound: readonly BoundSteer[]): SteeredFacts['barrierTo'] {
  return (itemIndex) => {
    for (const { steer, musts, hidden } of bound) {
      const { configurationId } = steer.configuration;
      if (hidden.has(itemIndex)) return { reason: 'hidden', configurationId };
      if (!musts.every((set) => set.has(itemIndex))) return { reason: 'constrained', configurationId };
    }
    return undefined;
  };
}

type Arrangement = Pick<SteeredFacts, 'weightOf' | 'pinnedBy'> & {
  /** Whether results have to be chosen among more than are asked for. */
  needsWindow: boolean;
  /** Items that stand at a place of their own. */
  pinCount: number;
  /** Whether a pin stands for it. */
  isPlaced(itemIndex: number): boolean;
  /** By the weight of preferences, within their tiers. */
  inOrder(hits: readonly Hit[]): Hit[];
  /** All of it. */
  whole(hits: readonly Hit[]): Hit[];
};

type ArrangementParts = { composer: Composer; unmet: Map<string, Shortage[]> };

function createArrangement(
  bound: readonly BoundSteer[],
  search: SteeredSearch,
  { composer, unmet }: ArrangementParts,
): Arrangement {
  const pins = placePins(bound, search);
  const byItem = new Map(pins.map((pin) => [pin.itemIndex, pin]));
  const isPlaced = placedTest(pins, search.environment);
  const preferences = bound.flatMap((one) => one.preferences);
  const limited = bound.filter(({ limits }) => limits.length > 0);

  const weightOf = (itemIndex: number): number =>
    preferences.reduce((sum, { set, weight }) => (set.has(itemIndex) ? sum + weight : sum), 0);

  const inOrder = (hits: readonly Hit[]): Hit[] => {
    if (preferences.length === 0) return [...hits];
    const weighed = hits.map((hit) => ({ hit, weight: weightOf(hit.itemIndex) }));
    return weighed.sort((a, b) => b.hit.tier - a.hit.tier || b.weight - a.weight).map(({ hit }) => hit);
  };

  /** The first places as limits want them, and the others behind: nothing that is found is left out for a limit. */
  const withLimits = (hits: readonly Hit[]): readonly Hit[] => {
    const places = Math.max(...limited.map(({ steer }) => steer.configuration.search.places));
    const rules = limited.flatMap(({ steer, limits }) => limits.map((limit) => ({ ...limit, steer })));
    const injected = pins.filter(({ rank }) => rank <= places);
    const composed = composer.compose({
      catalog: search.environment.catalog,
      size: Math.min(places, hits.length + injected.length),
      stream: { items: hits.map(({ itemIndex }) => itemIndex), count: hits.length },
      rules: rules.map(({ rule }) => rule),
      preferences: [],
      injected,
      nowMs: search.asked.nowMs,
    });
    for (const { ruleIndex, wanted, got } of composed.unmet) {
      const { steer, constraintIndex } = rules[ruleIndex];
      const { configurationId } = steer.configuration;
      unmet.set(configurationId, [
        ...(unmet.get(configurationId) ?? []),
        { constraintIndex, wanted, found: got },
      ]);
    }
    const byIndex = new Map(hits.map((hit) => [hit.itemIndex, hit]));
    const first = composed.items.flatMap(({ itemIndex, injected: pin }) =>
      pin ? [] : [byIndex.get(itemIndex!)!],
    );
    const chosen = new Set(first);
    return [...first, ...hits.filter((hit) => !chosen.has(hit))];
  };

  const whole = (hits: readonly Hit[]): Hit[] => {
    const found = new Map(hits.map((hit) => [hit.itemIndex, hit]));
    const others = inOrder(hits.filter(({ itemIndex }) => !isPlaced(itemIndex)));
    const left = limited.length > 0 ? withLimits(others) : others;
    return withPins(
      left,
      pins.map(({ rank, itemIndex }) => ({ rank, hit: found.get(itemIndex) ?? pinnedHit(itemIndex) })),
    );
  };
  return {
    needsWindow: preferences.length > 0 || limited.length > 0,
    pinCount: pins.length,
    weightOf,
    pinnedBy: (itemIndex) => byItem.get(itemIndex)?.configurationId,
    isPlaced,
    inOrder,
    whole,
  };
}

/** Whether an item is pinned, or another one of its group, which stands for it then. */
function placedTest(pins: readonly Pin[], { catalog }: ServingEnvironment): (itemIndex: number) => boolean {
  const items = new Set(pins.map(({ itemIndex }) => itemIndex));
  const groups = new Set(
    pins.map(({ itemIndex }) => catalog.groups.of(itemIndex)).filter((group) => group >= 0),
  );
  return (itemIndex) => items.has(itemIndex) || (groups.size > 0 && groups.has(catalog.groups.of(itemIndex)));
}

type Pin = { rank: number; itemIndex: number; configurationId: string };

/** Those that can be shown, each item, group and rank once; of two for a rank the later one takes the next that is free. By rank. */
function placePins(bound: readonly BoundSteer[], { environment, asked }: SteeredSearch): Pin[] {
  const { catalog } = environment;
  const { refinement, groupBy = [], filters = [], nowMs } = asked;
  if (groupBy.length > 0 || refinement?.orderBy || (refinement?.filters.length ?? 0) > 0) return [];
  const matchers = filters.map(({ field, values }) => catalog.column(field)?.matcher({ oneOf: values }));
  const byRank = new Map<number, Pin>();
  const items = new Set<number>();
  const groups = new Set<number>();
  for (const { steer } of bound)
    for (const { itemId, itemType, rank } of steer.configuration.search.pins) {
      const itemIndex = catalog.indexOfId(itemId, itemType);
      if (itemIndex === undefined || items.has(itemIndex) || !catalog.servable(itemIndex, nowMs)) continue;
      const group = catalog.groups.of(itemIndex);
      if (group >= 0 && groups.has(group)) continue;
      if (bound.some(({ hidden }) => hidden.has(itemIndex))) continue;
      if (!matchers.every((matches) => matches?.(itemIndex))) continue;
      let free = rank;
      while (byRank.has(free)) free += 1;
      items.add(itemIndex);
      if (group >= 0) groups.add(group);
      byRank.set(free, { rank: free, itemIndex, configurationId: steer.configuration.configurationId });
    }
  return [...byRank.values()].sort((a, b) => a.rank - b.rank);
}

/** A pin whose rank lies behind the last result comes behind it. */
function withPins(hits: readonly Hit[], pins: readonly { rank: number; hit: Hit }[]): Hit[] {
  const placed: Hit[] = [];
  let next = 0;
  for (const { rank, hit } of pins) {
    while (placed.length < rank - 1 && next < hits.length) placed.push(hits[next++]);
    placed.push(hit);
  }
  return [...placed, ...hits.slice(next)];
}

/** An item that stands where it does for another reason than its words. */
function pinnedHit(itemIndex: number): Hit {
  return { itemIndex, tier: 1, score: 0, text: 0, feedback: 0, prior: 0, taste: 0, clicks: 0 };
}

function arrangedResult(
  environment: ServingEnvironment,
  asked: SearchRequest,
  arrange: Arrangement,
): SearchResult {
  const { searchIndex } = environment;
  const { refinement, groupBy = [], listSize } = asked;
  if (refinement?.orderBy) return searchIndex.search(asked);
  if (groupBy.length > 0) {
    const result = searchIndex.search(asked);
    return {
      ...result,
      lists: result.lists.map((list) => ({ ...list, items: arrange.inOrder(list.items) })),
    };
  }
  if (refinement) return arrangedPage(environment, asked, arrange);
  const wanted = arrange.needsWindow ? windowSize : Math.min(windowSize, listSize + arrange.pinCount);
  const result = searchIndex.search({ ...asked, listSize: Math.max(listSize, wanted) });
  return withItems(result, arrange.whole(itemsOf(result)).slice(0, listSize));
}

/** Pages of one order: the first `windowSize` results are arranged as a whole, and those behind them stand as they are found. */
function arrangedPage(
  { searchIndex }: ServingEnvironment,
  asked: SearchRequest,
  arrange: Arrangement,
): SearchResult {
  const refinement = asked.refinement!;
  const { listSize } = asked;
  const start = refinement.offset;
  const end = start + listSize;
  if (!arrange.needsWindow && arrange.pinCount === 0) return searchIndex.search(asked);
  const result = searchIndex.search({
    ...asked,
    listSize: windowSize,
    refinement: { ...refinement, offset: 0 },
  });
  const found = itemsOf(result);
  const whole = arrange.whole(found);
  const items = whole.slice(start, end);
  const isAll = end <= whole.length || found.length < windowSize;
  if (isAll) return withItems(result, items);
  const offset = Math.max(start, whole.length) - whole.length + found.length;
  const behind = searchIndex.search({
    ...asked,
    listSize: listSize - items.length,
    refinement: { ...refinement, facets: [], offset },
  });
  const rest = itemsOf(behind).filter(({ itemIndex }) => !arrange.isPlaced(itemIndex));
  return withItems(result, [...items, ...rest]);
}

const itemsOf = ({ lists }: SearchResult): Hit[] => lists.flatMap(({ items }) => items);

function withItems(result: SearchResult, items: Hit[]): SearchResult {
  const lists: ResultList[] = items.length > 0 ? [{ values: [], name: '', items }] : [];
  return { ...result, lists };
}
