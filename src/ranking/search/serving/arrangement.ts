/** Arranges hits as configurations want: preferences and limits order them, pins have fixed places. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import { draftTeams } from '../../lists/team-draft.ts';
import type { BoundRule } from '../../rules/bind-configuration.ts';
import type { Composer } from '../../rules/compose.ts';
import type { ItemSet } from '../../rules/match-sets.ts';
import type { Scalar } from '../../rules/types.ts';
import { type Hit, type SearchRequest, unrankedHit } from '../search.ts';
import type { Shortage } from './served-search.ts';
import type { Steer } from './steering.ts';

export type SteeredRequest = {
  environment: ServingEnvironment;
  asked: Omit<SearchRequest, 'admits'>;
  steers: readonly Steer[];
  /** Preferences against values that the subject wants less of. */
  buried: readonly Preference[];
  /** Variables of conditions. */
  variables: ReadonlyMap<string, Scalar>;
  draft?: Draft;
};

/** The results of another variant, with which the results share their places by a team draft. */
export type Draft = {
  hits: readonly Hit[];
  /** Returns whether the steered results pick first in a round. */
  coin(round: number): boolean;
};

type Preference = { set: Pick<ItemSet, 'has'>; weight: number };

type Limit = { rule: BoundRule; constraintIndex: number };

/** A configuration that steers a search, bound to the catalogue. */
export type BoundSteer = {
  steer: Steer;
  musts: readonly ItemSet[];
  limits: readonly Limit[];
  preferences: readonly Preference[];
  hidden: ReadonlySet<number>;
};

export type Arrangement = ReturnType<typeof createArrangement>;

type ArrangementParts = { composer: Composer; unmet: Map<string, Shortage[]> };

/** @param parts `unmet` receives the minimums that are not met, by configuration ID */
export function createArrangement(
  bound: readonly BoundSteer[],
  request: SteeredRequest,
  parts: ArrangementParts,
) {
  const pins = placePins(bound, request);
  const pinByItem = new Map(pins.map((pin) => [pin.itemIndex, pin]));
  const isPinned = pinTest(pins, request.environment);
  const preferences = [...bound.flatMap((one) => one.preferences), ...request.buried];
  const limited = bound.filter(({ limits }) => limits.length > 0);

  const weightOf = (itemIndex: number): number =>
    preferences.reduce((sum, { set, weight }) => (set.has(itemIndex) ? sum + weight : sum), 0);

  /** Orders hits by the weight of preferences within their tiers. */
  const byPreference = (hits: readonly Hit[]): Hit[] => {
    if (preferences.length === 0) return [...hits];
    const weighed = hits.map((hit) => ({ hit, weight: weightOf(hit.itemIndex) }));
    return weighed.sort((a, b) => b.hit.tier - a.hit.tier || b.weight - a.weight).map(({ hit }) => hit);
  };

  return {
    /** Whether more hits than requested are needed, because preferences or limits choose among them. */
    needsWindow: preferences.length > 0 || limited.length > 0 || request.draft !== undefined,
    pinCount: pins.length,
    weightOf,
    pinnedBy: (itemIndex: number): string | undefined => pinByItem.get(itemIndex)?.configurationId,
    /** Whether an item or another one of its group is pinned. */
    isPinned,
    byPreference,
    /** Arranges hits by preferences, limits and pins. */
    arrange(hits: readonly Hit[]): Hit[] {
      const found = new Map(hits.map((hit) => [hit.itemIndex, hit]));
      const others = byPreference(hits.filter(({ itemIndex }) => !isPinned(itemIndex)));
      const drafted = draftedWith(request, others, isPinned);
      const ordered = limited.length > 0 ? limitFirst(drafted, limited, pins, request, parts) : drafted;
      return withPins(
        ordered,
        pins.map(({ rank, itemIndex }) => ({ rank, hit: found.get(itemIndex) ?? unrankedHit(itemIndex) })),
      );
    },
  };
}

/** Returns the hits in the order of the draft, if there is one, with each group once. */
function draftedWith(
  { draft, environment: { catalog } }: SteeredRequest,
  own: readonly Hit[],
  isPinned: (itemIndex: number) => boolean,
): readonly Hit[] {
  if (!draft) return own;
  const others = draft.hits.filter(({ itemIndex }) => !isPinned(itemIndex));
  const keyOf = ({ itemIndex }: Hit) => groupKeyOf(itemIndex, catalog);
  const drafted = draftTeams([own, others], { size: own.length, keyOf, coin: draft.coin });
  return drafted.map(({ item, team }) => ({ ...item, team }));
}

/** Items of a group share a negative number. */
export function groupKeyOf(itemIndex: number, { groups }: Pick<Catalog, 'groups'>): number {
  const group = groups.of(itemIndex);
  return group < 0 ? itemIndex : -1 - group;
}

/** Composes the first places by the limits. The other hits follow, so that no hit is left out for a limit. */
function limitFirst(
  hits: readonly Hit[],
  limited: readonly BoundSteer[],
  pins: readonly Pin[],
  { environment, asked }: SteeredRequest,
  { composer, unmet }: ArrangementParts,
): readonly Hit[] {
  const places = Math.max(...limited.map(({ steer }) => steer.configuration.search.places));
  const rules = limited.flatMap(({ steer, limits }) => limits.map((limit) => ({ ...limit, steer })));
  const injected = pins.filter(({ rank }) => rank <= places);
  const composed = composer.compose({
    catalog: environment.catalog,
    size: Math.min(places, hits.length + injected.length),
    stream: { items: hits.map(({ itemIndex }) => itemIndex), count: hits.length },
    rules: rules.map(({ rule }) => rule),
    preferences: [],
    injected,
    nowMs: asked.nowMs,
  });
  for (const { ruleIndex, wanted, got } of composed.unmet) {
    const { steer, constraintIndex } = rules[ruleIndex];
    const { configurationId } = steer.configuration;
    const shortage = { constraintIndex, wanted, found: got };
    unmet.set(configurationId, [...(unmet.get(configurationId) ?? []), shortage]);
  }
  const byIndex = new Map(hits.map((hit) => [hit.itemIndex, hit]));
  const first = composed.items.flatMap(({ itemIndex, injected: pin }) =>
    pin ? [] : [byIndex.get(itemIndex!)!],
  );
  const chosen = new Set(first);
  return [...first, ...hits.filter((hit) => !chosen.has(hit))];
}

function pinTest(pins: readonly Pin[], { catalog }: ServingEnvironment): (itemIndex: number) => boolean {
  const items = new Set(pins.map(({ itemIndex }) => itemIndex));
  const groups = new Set(
    pins.map(({ itemIndex }) => catalog.groups.of(itemIndex)).filter((group) => group >= 0),
  );
  return (itemIndex) => items.has(itemIndex) || (groups.size > 0 && groups.has(catalog.groups.of(itemIndex)));
}

type Pin = { rank: number; itemIndex: number; configurationId: string };

/**
 * Returns the pins that can be shown, by rank, with each item and group once. When two have a rank,
 * the later one takes the next free rank.
 */
function placePins(bound: readonly BoundSteer[], { environment, asked }: SteeredRequest): Pin[] {
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

/** Inserts pins at their ranks; those beyond the last hit follow it. */
function withPins(hits: readonly Hit[], pins: readonly { rank: number; hit: Hit }[]): Hit[] {
  const placed: Hit[] = [];
  let next = 0;
  for (const { rank, hit } of pins) {
    while (placed.length < rank - 1 && next < hits.length) placed.push(hits[next++]);
    placed.push(hit);
  }
  return [...placed, ...hits.slice(next)];
}
