/**
 * The models of one environment, mapped to this node's catalogue positions.
 *
 * A training replaces them as a whole; until then, later items are compared by content.
 */

import type { EnvironmentSettings, Purpose } from '../../deployment/deployment.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { stringAt, stringCount } from '../models/arrays/string-table.ts';
import { type TrainedModels, unpackModelsInTurns, viewModels } from '../models/artefact.ts';
import { serveCompanions } from '../models/baskets.ts';
import { type Blend, type BlendWeights, createBlend, defaultBlendWeights } from '../models/blend.ts';
import { keySeparator } from '../models/item-keys.ts';
import { unpackLearnt } from '../models/learning/learnt-blends.ts';
import type { IndexMapping, Model } from '../models/model.ts';
import { createNewItems, type NewItems } from '../models/new-items.ts';
import { servePortfolio } from '../models/portfolio.ts';
import { basketProfile, basketWeights, companionWeights } from '../models/purposes.ts';
import { segmentKey, segmentRows } from '../models/trending.ts';
import { createTrendModels, noTrends, type TrendView } from '../models/trends/trend-models.ts';
import { burstsOf, type TrendSnapshot } from '../models/trends/trends.ts';
import { nextTurn } from '../runtime/slices.ts';
import { byWeighting, type Factors, type Weighting } from './weightings.ts';

export type ServingModels = {
  /** Size of the trained tables, without data derived for serving. */
  byteLength: number;
  mapping: IndexMapping;
  /**
   * Returns the blend for a page; versions without a declaration get the environment's weights.
   * @param segments Rows of `segmentOf`; the page type among them may have its own blend.
   * @param isReturning The subject's last event was before this visit [false].
   */
  blendFor(weighting: Weighting, segments?: readonly number[], isReturning?: boolean): Blend;
  /** Returns the blend of a purpose; undefined if it shares that of `blendFor`. */
  purposeBlendFor(weighting: Weighting, purpose: Purpose): Blend | undefined;
  /** Whether impressions affect lists: only if some were reported before the training. */
  readsImpressions: boolean;
  /** Catalogue positions in fallback order, after the personal candidates. */
  fallbackOrder: Int32Array;
  /** Number of trending items; the others follow by age. Later items go in between. */
  trendingCount: number;
  /** Catalogue position → place in fallbackOrder; later items have none. */
  fallbackPlaces: Int32Array;
  /** The items by age alone and their places, if the fallbacks rank by age first. */
  newest: { order: Int32Array; places: Int32Array } | undefined;
  /** Number of catalogue positions at mapping; later ones are new items. */
  mappedCount: number;
  /** Returns a segment's row in the trending model, if known. */
  segmentOf(kind: string, value: string): number | undefined;
  /** Returns positions in demand across all visitors, best first, with scores near 0…1. */
  wanted(): TrendSnapshot['overall'];
  /** Returns the positions in a burst of attention, with their demand; usual best ones have about 1. */
  bursts(): ReadonlyMap<number, number>;
  /**
   * Writes positions in demand in a segment into `items`, best first; returns their number. The
   * fewer events a segment has, the more the overall demand counts.
   */
  readSegment(row: number, items: Int32Array): number;
  /** Returns an item's current popularity, 0 to 1. */
  popularityOf(itemIndex: number): number;
  /** Returns the local index of an interest that is no catalogue item, such as a group. */
  interestOf(itemType: string, itemId: string): number | undefined;
  newItems: NewItems | undefined;
};

/** Weight of segment events that equals the weight of the overall demand. */
const doubtMass = 100;

/** Keys mapped in one slice: about 2 ms. */
const keysPerTurn = 4_000;

export async function createServingModels(
  buffer: SharedArrayBuffer,
  catalog: Catalog,
  settings: EnvironmentSettings,
  trends: TrendView = noTrends,
): Promise<ServingModels> {
  const unpacked = await unpackModelsInTurns(buffer, nextTurn);
  if (!unpacked.ok) throw new Error(`The models cannot be used: ${unpacked.reason}.`);
  const { models } = unpacked;
  const { mapping, interests } = await mapKeys(models, catalog);
  return assemble({ byteLength: buffer.byteLength, models, mapping, interests, settings, trends });
}

/** Creates models over memory shared with the thread that mapped this buffer. */
export async function createSharedModels(
  buffer: SharedArrayBuffer,
  mapping: IndexMapping,
  settings: EnvironmentSettings,
  trends: TrendView = noTrends,
): Promise<ServingModels> {
  const models = viewModels(buffer);
  const interests = interestsOf(models, mapping);
  return assemble({ byteLength: buffer.byteLength, models, mapping, interests, settings, trends });
}

/** Models of a node before its first training. */
export function createEmptyModels(trends: TrendView = noTrends): ServingModels {
  const mapping = { localOf: new Int32Array(0), itemIndexOf: new Int32Array(0) };
  const blend = createBlend({ mapping, models: createTrendModels(trends, mapping) });
  return {
    byteLength: 0,
    mapping,
    blendFor: () => blend,
    purposeBlendFor: () => undefined,
    readsImpressions: false,
    fallbackOrder: new Int32Array(0),
    trendingCount: 0,
    fallbackPlaces: new Int32Array(0),
    newest: undefined,
    mappedCount: 0,
    segmentOf: () => undefined,
    wanted: () => trends.current().overall,
    bursts: () => burstsOf(trends.current()),
    readSegment: () => 0,
    popularityOf: () => 0,
    interestOf: () => undefined,
    newItems: undefined,
  };
}

async function mapKeys({ itemKeys }: TrainedModels, catalog: Catalog) {
  const count = stringCount(itemKeys);
  const itemIndexOf = sharedIndexes(count);
  const localOf = sharedIndexes(catalog.itemCount);
  const interests = new Map<string, number>();
  for (let local = 0; local < count; local++) {
    const key = stringAt(itemKeys, local);
    const separator = key.indexOf(keySeparator);
    const itemIndex = catalog.indexOf(key.slice(0, separator), key.slice(separator + 1));
    if (itemIndex === undefined) interests.set(key, local);
    else if (itemIndex < localOf.length) {
      itemIndexOf[local] = itemIndex;
      localOf[itemIndex] = local;
    }
    if (local % keysPerTurn === keysPerTurn - 1) await nextTurn();
  }
  return { mapping: { localOf, itemIndexOf }, interests };
}

/** Returns shared indexes filled with -1. */
function sharedIndexes(length: number): Int32Array {
  const indexes = new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
  return indexes.fill(-1);
}

/** Returns trained interests that are no catalogue items. */
function interestsOf({ itemKeys }: TrainedModels, { itemIndexOf }: IndexMapping): Map<string, number> {
  const interests = new Map<string, number>();
  for (let local = 0; local < itemIndexOf.length; local++) {
    if (itemIndexOf[local] < 0) interests.set(stringAt(itemKeys, local), local);
  }
  return interests;
}

type Parts = {
  byteLength: number;
  models: TrainedModels;
  mapping: IndexMapping;
  interests: ReadonlyMap<string, number>;
  settings: EnvironmentSettings;
  trends: TrendView;
};

/** Runs in steps of a few milliseconds each at 100,000 items. */
async function assemble(parts: Parts): Promise<ServingModels> {
  const { byteLength, models, mapping, interests, settings, trends } = parts;
  const newItems = models.contentSimilarity && createNewItems({ tables: models.contentSimilarity, mapping });
  await nextTurn();
  const served = servePortfolio(models, mapping);
  for (const model of served) while (model.prepare?.()) await nextTurn();
  served.push(...createTrendModels(trends, mapping));
  if (newItems) served.push(newItems.model);
  await nextTurn();
  const { fallbackOrder, fallbackPlaces, trendingCount } = placeFallback(models, mapping);
  await nextTurn();
  const rows = models.trending ? segmentRows(models.trending) : new Map<string, number>();
  const segments = models.trending?.segments;
  /** Otherwise a segment lists only its own items. */
  const followsTrend = settings.fallbacks.steps.includes('trending');
  return {
    byteLength,
    mapping,
    blendFor: createBlends({ models, mapping, served, rows, settings }),
    purposeBlendFor: createPurposeBlends({ models, mapping, served, settings }),
    readsImpressions: models.ignored !== undefined,
    fallbackOrder,
    trendingCount,
    fallbackPlaces,
    newest: models.newestOrder && placeNewest(models.newestOrder, mapping),
    /** Items added meanwhile count as new. */
    mappedCount: mapping.localOf.length,
    segmentOf: (kind, value) => rows.get(segmentKey(kind, value)),
    wanted: () => trends.current().overall,
    bursts: () => burstsOf(trends.current()),
    readSegment(row, items) {
      const scores = new Map<number, number>();
      const mass = models.trending!.segmentMass?.[row] ?? Number.POSITIVE_INFINITY;
      const evidence = 1 / (1 + doubtMass / mass);
      for (let entry = segments!.offsets[row]; entry < segments!.offsets[row + 1]; entry++) {
        const itemIndex = mapping.itemIndexOf[segments!.items[entry]];
        if (itemIndex >= 0) scores.set(itemIndex, evidence * segments!.scores[entry]);
      }
      const wanted = trends.current().overall;
      wanted.items.forEach((itemIndex, rank) => {
        const own = scores.get(itemIndex);
        if (own !== undefined || followsTrend) scores.set(itemIndex, (own ?? 0) + wanted.scores[rank]);
      });
      const order = [...scores].sort(([a, x], [b, y]) => y - x || a - b).slice(0, items.length);
      order.forEach(([itemIndex], rank) => {
        items[rank] = itemIndex;
      });
      return order.length;
    },
    popularityOf: (itemIndex) => models.trending?.scores[mapping.localOf[itemIndex]] ?? 0,
    interestOf: (itemType, itemId) => interests.get(itemType + keySeparator + itemId),
    newItems,
  };
}

type BlendParts = Omit<Parts, 'byteLength' | 'interests' | 'trends'> & {
  served: readonly Model[];
  /** Segment key → row. */
  rows: ReadonlyMap<string, number>;
};

/** Creates a blend for each version, and for each page type with learned weights. */
function createBlends({ models, mapping, served, rows, settings }: BlendParts): ServingModels['blendFor'] {
  const learnt = models.learnt && unpackLearnt(models.learnt);
  const weightsOfRows = new Map<number | undefined, BlendWeights>([
    [undefined, weightsFrom(learnt?.weights)],
  ]);
  for (const [pageType, weights] of Object.entries(learnt?.pageTypes ?? {})) {
    const row = rows.get(segmentKey('page_type', pageType));
    if (row !== undefined) weightsOfRows.set(row, weightsFrom(weights));
  }
  const { profiles, calibration } = learnt ?? {};
  const shared = { mapping, models: served, profiles, calibration };
  const blendsOf = (factors: Factors) =>
    new Map(
      Array.from(weightsOfRows, ([row, weights]) => [
        row,
        createBlend({ ...shared, weights: scale(weights, factors) }),
      ]),
    );
  const returningOf = (factors: Factors) => {
    const own = learnt?.returning;
    const weights = own && scale(weightsFrom(own.weights), factors);
    return own && createBlend({ ...own, mapping, models: served, weights });
  };
  const bothOf = (factors: Factors) => ({
    within: blendsOf(factors),
    returning: returningOf(factors),
  });
  const weighted = byWeighting(settings, bothOf);
  return (weighting, segments = [], isReturning = false) => {
    const { within, returning } = weighted(weighting);
    if (isReturning && returning) return returning;
    return within.get(segments.find((row) => within.has(row)))!;
  };
}

/** Creates the blends of purposes for each version. */
function createPurposeBlends({ models, mapping, served, settings }: Omit<BlendParts, 'rows'>) {
  const profiles = Object.fromEntries(served.map(({ name }) => [name, basketProfile]));
  const companions = served.map((model) =>
    model.name === 'baskets' ? serveCompanions(models.baskets!, mapping) : model,
  );
  const blendOf = (blended: readonly Model[], weights: BlendWeights) =>
    createBlend({ mapping, models: blended, profiles, weights });
  const blendsOf = (factors: Factors): { [Name in Purpose]?: Blend } => ({
    complete_basket: blendOf(served, scale(basketWeights, factors)),
    bought_together: blendOf(companions, scale(companionWeights, factors)),
  });
  const weighted = byWeighting(settings, blendsOf);
  return (weighting: Weighting, purpose: Purpose) => weighted(weighting)[purpose];
}

/** Keeps at least the default weight of new items, which have no events to learn from. */
function weightsFrom(learnt: BlendWeights | undefined): BlendWeights {
  if (learnt === undefined) return defaultBlendWeights;
  return { ...learnt, new_items: Math.max(defaultBlendWeights.new_items, learnt.content_similarity ?? 0) };
}

function scale(weights: BlendWeights, factors: Factors): BlendWeights {
  return Object.fromEntries(
    Object.entries(weights).map(([name, weight]) => [name, weight * (factors.get(name) ?? 1)]),
  );
}

/** Orders all positions: trending, then unknown to the models (newest first), then the others. */
function placeFallback(models: TrainedModels, mapping: IndexMapping) {
  const locals = models.fallbackOrder ?? new Int32Array(0);
  const known = positionsOf(locals, mapping);
  const trendingCount = models.trending ? positionsOf(models.trending.order, mapping).length : 0;
  const unknown = positionsWithout(known, mapping.localOf.length);
  const fallbackOrder = new Int32Array(known.length + unknown.length);
  fallbackOrder.set(known.subarray(0, trendingCount));
  fallbackOrder.set(unknown, trendingCount);
  fallbackOrder.set(known.subarray(trendingCount), trendingCount + unknown.length);
  return { fallbackOrder, fallbackPlaces: placesOf(fallbackOrder), trendingCount };
}

/** Places items that the training did not read first, as the newest. */
function placeNewest(locals: Int32Array, mapping: IndexMapping) {
  const known = positionsOf(locals, mapping);
  const unknown = positionsWithout(known, mapping.localOf.length);
  const order = new Int32Array(mapping.localOf.length);
  order.set(unknown);
  order.set(known, unknown.length);
  return { order, places: placesOf(order) };
}

/** Maps local items to catalogue positions; omits items not in the catalogue. */
function positionsOf(locals: Int32Array, { itemIndexOf }: IndexMapping): Int32Array {
  return locals.filter((local) => itemIndexOf[local] >= 0).map((local) => itemIndexOf[local]);
}

/** Inverts an order of all positions. */
function placesOf(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  for (let place = 0; place < order.length; place++) places[order[place]] = place;
  return places;
}

/** Returns the positions missing from `placed`: many after a restart with stored models. */
function positionsWithout(placed: Int32Array, positionCount: number): Int32Array {
  const isPlaced = new Uint8Array(positionCount);
  for (const itemIndex of placed) isPlaced[itemIndex] = 1;
  const positions = new Int32Array(positionCount);
  let count = 0;
  for (let itemIndex = positionCount - 1; itemIndex >= 0; itemIndex--) {
    if (isPlaced[itemIndex] === 0) positions[count++] = itemIndex;
  }
  return positions.subarray(0, count);
}
