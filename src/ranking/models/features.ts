/**
 * Content of an item as weighted features: category paths at every depth, tags, title words and
 * attributes.
 *
 * A feature is identified by a 53-bit hash of its folded text, so models carry no strings and new
 * items need no dictionary. At a million features the chance of any collision is about 1 in 20,000.
 */

import { groupBy, grow } from './arrays/rows.ts';

export type ItemContent = {
  title?: string;
  tags?: readonly string[];
  /** Paths, general to specific: `['home', 'sofas']` or `'home/sofas'`. */
  categories?: readonly (string | readonly string[])[];
  /** Name and value of attributes and declared properties; each value of an array counts. */
  attributes?: readonly { name: string; value: unknown }[];
};

export type Feature = { hash: number; weight: number };

/** Prior weight of each kind before IDF: curated fields say more than words of a title. */
const featureWeights = { category: 1, tag: 1, attribute: 0.8, word: 0.6 };

/** Limits per item; the rest is dropped, in the order title, categories, tags, attributes. */
export const featureLimits = { words: 16, featuresPerItem: 64, textLength: 100 };

/** Function words of the most common catalogue languages. */
const stopWords = new Set(
  (
    'a an the and or of for in on at to with by from is are be this that it as ' +
    'der die das den dem ein eine und oder von mit zu im auf für ist ' +
    'de het een en van voor met op te dat die is ' +
    'le la les un une des et ou du au aux en pour avec sur ' +
    'el los las una y o del con por para'
  ).split(' '),
);

/** Returns lower case without diacritics, so that spelling variants match. */
export function fold(text: string): string {
  return text
    .slice(0, featureLimits.textLength)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .trim();
}

/** Returns the distinct features of an item, at most featureLimits.featuresPerItem. */
export function featuresOf(content: ItemContent): Feature[] {
  const features = new Map<number, number>();
  for (const [text, weight] of featureTexts(content)) {
    if (features.size >= featureLimits.featuresPerItem) break;
    const hash = hashText(text);
    if (!features.has(hash)) features.set(hash, weight);
  }
  return Array.from(features, ([hash, weight]) => ({ hash, weight }));
}

function* featureTexts(content: ItemContent): Generator<[text: string, weight: number]> {
  for (const word of wordsOf(content.title ?? '')) yield [`w ${word}`, featureWeights.word];
  for (const path of content.categories ?? []) {
    const segments = typeof path === 'string' ? path.split('/') : path;
    let prefix = 'c';
    for (const segment of segments) {
      prefix = `${prefix} / ${fold(segment)}`;
      yield [prefix, featureWeights.category];
    }
  }
  for (const tag of content.tags ?? []) yield [`t ${fold(tag)}`, featureWeights.tag];
  for (const { name, value } of content.attributes ?? []) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === null || typeof one === 'object') continue;
      yield [`a ${fold(name)} = ${fold(String(one))}`, featureWeights.attribute];
    }
  }
}

function wordsOf(title: string): string[] {
  const words = fold(title).match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 1 && !stopWords.has(word)).slice(0, featureLimits.words);
}

/** Two independent FNV-1a lanes over UTF-16 units, mixed (murmur finalizer), joined to 53 bits. */
function hashText(text: string): number {
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  for (let place = 0; place < text.length; place++) {
    high = Math.imul(high ^ text.charCodeAt(place), 0x01000193);
    low = Math.imul(low ^ text.charCodeAt(place), 0x5bd1e995);
  }
  return (mix(high ^ low) & 0x1fffff) * 0x100000000 + (mix(low) >>> 0);
}

function mix(lane: number): number {
  let bits = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Items × features in compressed sparse rows. Feature ids are positions in `hashes`. */
export type FeatureMatrix = {
  itemCount: number;
  /** Length: items + 1. */
  offsets: Int32Array;
  feature: Int32Array;
  weight: Float32Array;
  /** Ascending. */
  hashes: Float64Array;
};

export type FeatureMatrixBuilder = {
  /** Call it once per item; local items never added have no features. */
  add(local: number, features: readonly Feature[]): void;
  finish(itemCount: number): FeatureMatrix;
};

export function createFeatureMatrixBuilder(): FeatureMatrixBuilder {
  let items = new Int32Array(1024);
  let hashes = new Float64Array(1024);
  let weights = new Float32Array(1024);
  let count = 0;
  return {
    add(local, features) {
      items = grow(items, count + features.length);
      hashes = grow(hashes, count + features.length);
      weights = grow(weights, count + features.length);
      for (const { hash, weight } of features) {
        items[count] = local;
        hashes[count] = hash;
        weights[count++] = weight;
      }
    },
    finish(itemCount) {
      const distinct = Float64Array.from(new Set(hashes.subarray(0, count))).sort();
      const ids = new Map(Array.from(distinct, (hash, id) => [hash, id]));
      const { offsets, order } = groupBy(items.subarray(0, count), itemCount);
      return {
        itemCount,
        offsets,
        feature: order.map((row) => ids.get(hashes[row])!),
        weight: Float32Array.from(order, (row) => weights[row]),
        hashes: distinct,
      };
    },
  };
}
