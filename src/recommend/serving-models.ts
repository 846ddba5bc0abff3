/**
 * The models of one environment, ready for requests: trained tables mapped to this node's catalogue positions.
 *
 * Replaced as a whole when a training is published. Items that arrived since are compared by content as they come.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.ts';
import type { EnvironmentSettings } from '../deployment/deployment.ts';
import { stringAt, stringCount } from '../models/arrays/string-table.ts';
import { type TrainedModels, unpackModels } from '../models/artefact.ts';
import { type Blend, type BlendWeights, createBlend, defaultBlendWeights } from '../models/blend.ts';
import { coVisits } from '../models/co-visits.ts';
import { contentSimilarity } from '../models/content-similarity.ts';
import { KEY_SEPARATOR } from '../models/item-keys.ts';
import type { IndexMapping, Model } from '../models/model.ts';
import { createNewItems, type NewItems } from '../models/new-items.ts';
import { type SegmentKind, segmentKey, segmentRows, trending } from '../models/trending.ts';

export type ServingModels = {
  mapping: IndexMapping;
  /** The blend for an A/B version; an unknown name gives the default weights. */
  blendFor(version: string): Blend;
  /** Catalogue positions in the order that fills lists when nothing personal is left. */
  fallbackOrder: Int32Array;
  /** How many of them are trending; the rest is ordered by age. Items that came later go between the two. */
  trendingCount: number;
  /** Catalogue position → place in fallbackOrder; later ones have none. */
  fallbackPlaces: Int32Array;
  /** Number of catalogue positions when the models were mapped; later ones are new. */
  mappedCount: number;
  /** Row of the trending model's segments, or undefined. */
  segmentOf(kind: SegmentKind, value: string): number | undefined;
  /** Catalogue positions trending in a segment, best first; written into `items`, returns how many. */
  readSegment(row: number, items: Int32Array): number;
  /** How popular an item is now, 0 to 1. */
  popularityOf(itemIndex: number): number;
  /** Local index of an interest that is no item of the catalogue, such as a group. */
  interestOf(itemType: string, itemId: string): number | undefined;
  newItems: NewItems | undefined;
};

/** Keys mapped before other work gets its turn: about 2 ms. */
const keysPerTurn = 4_000;

export async function createServingModels(
  buffer: SharedArrayBuffer,
  catalog: Catalog,
  settings: EnvironmentSettings,
): Promise<ServingModels> {
  const unpacked = unpackModels(buffer);
  if (!unpacked.ok) throw new Error(`The models cannot be used: ${unpacked.reason}.`);
  const { models } = unpacked;
  const { mapping, interests } = await mapKeys(models, catalog);
  return assemble({ models, mapping, interests, mappedCount: catalog.itemCount, settings });
}

/** What a node serves before its first training. */
export function createEmptyModels(): ServingModels {
  const mapping = { localOf: new Int32Array(0), itemIndexOf: new Int32Array(0) };
  const blend = createBlend({ mapping, models: [] });
  return {
    mapping,
    blendFor: () => blend,
    fallbackOrder: new Int32Array(0),
    trendingCount: 0,
    fallbackPlaces: new Int32Array(0),
    mappedCount: 0,
    segmentOf: () => undefined,
    readSegment: () => 0,
    popularityOf: () => 0,
    interestOf: () => undefined,
    newItems: undefined,
  };
}

async function mapKeys({ itemKeys }: TrainedModels, catalog: Catalog) {
  const count = stringCount(itemKeys);
  const itemIndexOf = new Int32Array(count).fill(-1);
  const localOf = new Int32Array(catalog.itemCount).fill(-1);
  const interests = new Map<string, number>();
  for (let local = 0; local < count; local++) {
    const key = stringAt(itemKeys, local);
    const separator = key.indexOf(KEY_SEPARATOR);
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

type Parts = {
  models: TrainedModels;
  mapping: IndexMapping;
  interests: ReadonlyMap<string, number>;
  mappedCount: number;
  settings: EnvironmentSettings;
};

function assemble({ models, mapping, interests, mappedCount, settings }: Parts): ServingModels {
  const newItems = models.contentSimilarity && createNewItems({ tables: models.contentSimilarity, mapping });
  const served = serveAll(models, mapping, newItems);
  const blends = new Map(
    settings.versions.map(({ name, models: factors }) => [
      name,
      createBlend({ mapping, models: served, weights: scaleWeights(factors) }),
    ]),
  );
  const standard = createBlend({ mapping, models: served });
  const { fallbackOrder, fallbackPlaces, trendingCount } = placeFallback(models, mapping);
  const rows = models.trending ? segmentRows(models.trending) : new Map<string, number>();
  const segments = models.trending?.segments;
  return {
    mapping,
    blendFor: (version) => blends.get(version) ?? standard,
    fallbackOrder,
    trendingCount,
    fallbackPlaces,
    mappedCount,
    segmentOf: (kind, value) => rows.get(segmentKey(kind, value)),
    readSegment(row, items) {
      let count = 0;
      for (let entry = segments!.offsets[row]; entry < segments!.offsets[row + 1]; entry++) {
        const itemIndex = mapping.itemIndexOf[segments!.items[entry]];
        if (itemIndex >= 0 && count < items.length) items[count++] = itemIndex;
      }
      return count;
    },
    popularityOf: (itemIndex) => models.trending?.scores[mapping.localOf[itemIndex]] ?? 0,
    interestOf: (itemType, itemId) => interests.get(itemType + KEY_SEPARATOR + itemId),
    newItems,
  };
}

function serveAll(models: TrainedModels, mapping: IndexMapping, newItems: NewItems | undefined): Model[] {
  const served: Model[] = [];
  if (models.coVisits) served.push(coVisits.serve(models.coVisits, mapping));
  if (models.contentSimilarity) served.push(contentSimilarity.serve(models.contentSimilarity, mapping));
  if (newItems) served.push(newItems.model);
  if (models.trending) served.push(trending.serve(models.trending, mapping));
  return served;
}

function scaleWeights(factors: ReadonlyMap<string, number>): BlendWeights {
  return Object.fromEntries(
    Object.entries(defaultBlendWeights).map(([name, weight]) => [name, weight * (factors.get(name) ?? 1)]),
  );
}

/** Every position of the catalogue: trending ones, those that the models do not know, newest first, then the others. */
function placeFallback(models: TrainedModels, mapping: IndexMapping) {
  const locals = models.fallbackOrder ?? new Int32Array(0);
  const isHere = (local: number) => mapping.itemIndexOf[local] >= 0;
  const known = locals.filter(isHere).map((local) => mapping.itemIndexOf[local]);
  const trendingCount = models.trending?.order.filter(isHere).length ?? 0;
  const unknown = positionsWithout(known, mapping.localOf.length);
  const fallbackOrder = new Int32Array(known.length + unknown.length);
  fallbackOrder.set(known.subarray(0, trendingCount));
  fallbackOrder.set(unknown, trendingCount);
  fallbackOrder.set(known.subarray(trendingCount), trendingCount + unknown.length);
  const fallbackPlaces = new Int32Array(mapping.localOf.length).fill(-1);
  for (let place = 0; place < fallbackOrder.length; place++) fallbackPlaces[fallbackOrder[place]] = place;
  return { fallbackOrder, fallbackPlaces, trendingCount };
}

/** What the training did not read is not in its order; after a restart with kept models that can be much. */
function positionsWithout(placed: Int32Array, positionCount: number): Int32Array {
  const isPlaced = new Uint8Array(positionCount);
  for (const itemIndex of placed) isPlaced[itemIndex] = 1;
  const positions = Int32Array.from(isPlaced.keys()).filter((itemIndex) => isPlaced[itemIndex] === 0);
  return positions.reverse();
}
