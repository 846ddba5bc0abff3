/**
 * The trained models in reverse: the items that lead to a set of promoted items.
 *
 * An item's weight is the share of promoted items among those that it leads to. Content is compared
 * with the whole promotion at once: the cosines of an item with all promoted items add up to one
 * product with the sum of their vectors, so a thousand promoted items cost as much as one.
 */

import { grow } from '../../ranking/models/arrays/rows.ts';
import { allStrings } from '../../ranking/models/arrays/string-table.ts';
import { type TrainedModels, unpackModels } from '../../ranking/models/artefact.ts';
import { type ContentTables, similarTo } from '../../ranking/models/content-similarity.ts';
import type { Feature } from '../../ranking/models/features.ts';
import { createItemKeys, type ItemKeys, keySeparator } from '../../ranking/models/item-keys.ts';

export type PromotedItem = {
  itemType: string;
  itemId: string;
  /** The content of an item that the models do not contain. */
  features?: readonly Feature[];
};

/** Weights by local item of the models. */
type LocalWeights = {
  /** Sum of the co-visit scores from the item to promoted ones. */
  coVisits: Float32Array;
  /** Similarity to the promoted items, as a multiple of the similarity to the average item. */
  content: Float32Array;
};

export type ItemModels = {
  /** Returns -1 for an item that the models do not contain. */
  localOf(itemType: string, itemId: string): number;
  /** Returns the local items of a growing list of keys; remembers earlier ones. */
  localsOf(keys: readonly string[]): Int32Array;
  weigh(promotion: readonly PromotedItem[]): LocalWeights;
};

/** @throws An Error when the artefact is damaged. */
export function readItemModels(buffer: ArrayBuffer | SharedArrayBuffer): ItemModels {
  const unpacked = unpackModels(buffer);
  if (!unpacked.ok) throw new Error(`The models cannot be used: ${unpacked.reason}.`);
  return createItemModels(unpacked.models);
}

export function createItemModels(models: TrainedModels): ItemModels {
  const keys = internKeys(models);
  const itemCount = keys.keys.length;
  const content = models.contentSimilarity && createContentVectors(models.contentSimilarity, itemCount);
  const localOf = (itemType: string, itemId: string) => keys.find(itemId, itemType || undefined);
  let locals = new Int32Array(1024);
  let lookedUp = 0;
  return {
    localOf,
    localsOf(wanted) {
      locals = grow(locals, wanted.length);
      for (; lookedUp < wanted.length; lookedUp++) locals[lookedUp] = localOf(...splitKey(wanted[lookedUp]));
      return locals;
    },
    weigh(promotion) {
      const promoted = promotion.map((item) => ({ item, local: localOf(item.itemType, item.itemId) }));
      return {
        coVisits: leadingTo(targetsOf(promoted, models, itemCount), models, itemCount),
        content: content?.compare(promoted) ?? new Float32Array(itemCount),
      };
    },
  };
}

export function splitKey(key: string): [itemType: string, itemId: string] {
  const separator = key.indexOf(keySeparator);
  return [key.slice(0, separator), key.slice(separator + 1)];
}

type Promoted = { item: PromotedItem; local: number };

function internKeys({ itemKeys }: TrainedModels): ItemKeys {
  const keys = createItemKeys();
  for (const key of allStrings(itemKeys)) keys.intern(...splitKey(key));
  return keys;
}

/** Returns 1 for each promoted item; similar items replace unknown ones. */
function targetsOf(
  promoted: Promoted[],
  { contentSimilarity }: TrainedModels,
  itemCount: number,
): Float32Array {
  const targets = new Float32Array(itemCount);
  for (const { item, local } of promoted) {
    if (local >= 0) targets[local] += 1;
    else if (contentSimilarity && item.features) {
      for (const similar of similarTo(contentSimilarity, item.features))
        targets[similar.local] += similar.score;
    }
  }
  return targets;
}

function leadingTo(targets: Float32Array, { coVisits }: TrainedModels, itemCount: number): Float32Array {
  const weights = new Float32Array(itemCount);
  if (!coVisits) return weights;
  const { offsets, items, scores } = coVisits;
  for (let item = 0; item < itemCount && item + 1 < offsets.length; item++) {
    let sum = 0;
    for (let entry = offsets[item]; entry < offsets[item + 1]; entry++)
      sum += scores[entry] * targets[items[entry]];
    weights[item] = sum;
  }
  return weights;
}

/** Inverts the postings of the content model: one row of features per item. */
function createContentVectors({ postings, hashes, idf }: ContentTables, itemCount: number) {
  const featureCount = hashes.length;
  const offsets = new Int32Array(itemCount + 1);
  for (const item of postings.items) offsets[item + 1] += 1;
  for (let item = 0; item < itemCount; item++) offsets[item + 1] += offsets[item];
  const features = new Int32Array(postings.items.length);
  const weights = new Float32Array(postings.items.length);
  const all = new Float32Array(featureCount);
  const next = offsets.slice();
  for (let feature = 0; feature < featureCount; feature++) {
    for (let entry = postings.offsets[feature]; entry < postings.offsets[feature + 1]; entry++) {
      const place = next[postings.items[entry]]++;
      features[place] = feature;
      weights[place] = postings.scores[entry];
      all[feature] += postings.scores[entry];
    }
  }
  const productOf = (item: number, vector: Float32Array): number => {
    let product = 0;
    for (let entry = offsets[item]; entry < offsets[item + 1]; entry++) {
      product += weights[entry] * vector[features[entry]];
    }
    return product;
  };
  const background = Float32Array.from({ length: itemCount }, (_, item) => productOf(item, all) / itemCount);
  const idOf = new Map(Array.from(hashes, (hash, feature) => [hash, feature]));

  const addItem = (sum: Float32Array, { item, local }: Promoted): boolean => {
    if (local >= 0) {
      for (let entry = offsets[local]; entry < offsets[local + 1]; entry++)
        sum[features[entry]] += weights[entry];
      return offsets[local + 1] > offsets[local];
    }
    return addFeatures(sum, item.features ?? [], { idOf, idf });
  };
  return {
    compare(promoted: Promoted[]): Float32Array {
      const sum = new Float32Array(featureCount);
      const count = promoted.filter((one) => addItem(sum, one)).length;
      return background.map((usual, item) =>
        usual > 0 && count > 0 ? productOf(item, sum) / count / usual : 0,
      );
    },
  };
}

/** Adds an unknown item's unit vector; false when none of its features is known. */
function addFeatures(
  sum: Float32Array,
  own: readonly Feature[],
  { idOf, idf }: { idOf: ReadonlyMap<number, number>; idf: Float32Array },
): boolean {
  const known = own.flatMap(({ hash, weight }) => {
    const feature = idOf.get(hash);
    return feature === undefined ? [] : [{ feature, weight: weight * idf[feature] }];
  });
  const norm = Math.hypot(...known.map(({ weight }) => weight));
  for (const { feature, weight } of known) sum[feature] += weight / norm;
  return known.length > 0;
}
