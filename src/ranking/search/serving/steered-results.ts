/**
 * Results of a search as configurations want: which items are found, in which order, and which are
 * pinned.
 */
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import { bindConfiguration } from '../../rules/bind-configuration.ts';
import { createComposer } from '../../rules/compose.ts';
import type { Hit, ResultList, SearchRequest, SearchResult } from '../search.ts';
import { type Arrangement, type BoundSteer, createArrangement, type SteeredRequest } from './arrangement.ts';
import type { Shortage } from './served-search.ts';
import type { Steer } from './steering.ts';

/** Hits that preferences and limits arrange; later ones keep their order. */
export const windowSize = 1_000;

/** Effects of the configurations, for explanations. */
export type SteeredFacts = {
  steers: readonly (Steer & { unmet: Shortage[] })[];
  weightOf(itemIndex: number): number;
  pinnedBy(itemIndex: number): string | undefined;
  /** Returns the configuration that excludes an item. */
  barrierTo(itemIndex: number): { reason: 'hidden' | 'constrained'; configurationId: string } | undefined;
};

export type SteeredResult = { result: SearchResult; facts: SteeredFacts };

/** Returns a function that must finish one search before it begins the next. */
export function createSteeredResults(): (search: SteeredRequest) => SteeredResult {
  const composer = createComposer();
  return (search) => {
    const bound = search.steers.flatMap((steer) => bindSteer(steer, search));
    const unmet = new Map<string, Shortage[]>();
    const barrierTo = barrierOf(bound);
    const admits = (itemIndex: number) => barrierTo(itemIndex) === undefined;
    const hits = search.draft?.hits.filter(({ itemIndex }) => admits(itemIndex)) ?? [];
    const draft = search.draft && { ...search.draft, hits };
    const arrangement = createArrangement(bound, { ...search, draft }, { composer, unmet });
    const result = arrangedResult(search.environment, { ...search.asked, admits }, arrangement);
    const steers = bound.map(({ steer }) => ({
      ...steer,
      unmet: unmet.get(steer.configuration.configurationId) ?? [],
    }));
    const { weightOf, pinnedBy } = arrangement;
    return { result, facts: { steers, weightOf, pinnedBy, barrierTo } };
  };
}

/**
 * Returns nothing when a variable is missing; the check of configurations allows only those that a
 * search has.
 */
function bindSteer(steer: Steer, { environment, asked, variables }: SteeredRequest): BoundSteer[] {
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
        .filter(({ rule }) => (rule.kind === 'must' ? rule.groups : rule.kind !== 'dropped')),
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

function arrangedResult(
  environment: ServingEnvironment,
  asked: SearchRequest,
  arrangement: Arrangement,
): SearchResult {
  const { searchIndex } = environment;
  const { refinement, groupBy = [], listSize } = asked;
  if (refinement?.orderBy) return searchIndex.search(asked);
  if (groupBy.length > 0) {
    const result = searchIndex.search(asked);
    return {
      ...result,
      lists: result.lists.map((list) => ({ ...list, items: arrangement.byPreference(list.items) })),
    };
  }
  if (refinement) return arrangedPage(environment, asked, arrangement);
  const wanted = arrangement.needsWindow ? windowSize : Math.min(windowSize, listSize + arrangement.pinCount);
  const result = searchIndex.search({ ...asked, listSize: Math.max(listSize, wanted) });
  return withItems(result, arrangement.arrange(itemsOf(result)).slice(0, listSize));
}

/**
 * Pages of one order: the first `windowSize` hits are arranged as a whole, the others follow in
 * their order.
 */
function arrangedPage(
  { searchIndex }: ServingEnvironment,
  asked: SearchRequest,
  arrangement: Arrangement,
): SearchResult {
  const refinement = asked.refinement!;
  const { listSize } = asked;
  const start = refinement.offset;
  const end = start + listSize;
  if (!arrangement.needsWindow && arrangement.pinCount === 0) return searchIndex.search(asked);
  const result = searchIndex.search({
    ...asked,
    listSize: windowSize,
    refinement: { ...refinement, offset: 0 },
  });
  const found = itemsOf(result);
  const whole = arrangement.arrange(found);
  const items = whole.slice(start, end);
  const isAll = end <= whole.length || found.length < windowSize;
  if (isAll) return withItems(result, items);
  const offset = Math.max(start, whole.length) - whole.length + found.length;
  const behind = searchIndex.search({
    ...asked,
    listSize: listSize - items.length,
    refinement: { ...refinement, facets: [], offset },
  });
  const before = new Set(whole.map(({ itemIndex }) => itemIndex));
  const rest = itemsOf(behind).filter(
    ({ itemIndex }) => !arrangement.isPinned(itemIndex) && !before.has(itemIndex),
  );
  return withItems(result, [...items, ...rest]);
}

const itemsOf = ({ lists }: SearchResult): Hit[] => lists.flatMap(({ items }) => items);

function withItems(result: SearchResult, items: Hit[]): SearchResult {
  const lists: ResultList[] = items.length > 0 ? [{ values: [], name: '', items }] : [];
  return { ...result, lists };
}
