/**
 * Items with similar content, by the cosine of their IDF-weighted features.
 *
 * An inverted index yields candidates, rarest feature first, within a budget of postings per item.
 * For a feature with more postings than the budget left, only a window around the item itself is
 * read. Common features say little, so little is missed; the cost is items × budget for any
 * catalogue; and since each item reads another window, no item becomes a neighbour of all. The best
 * candidates are then scored exactly.
 */

import { partitionPoint } from '../runtime/partition-point.ts';
import { type Accumulator, add, begin, createAccumulator } from './arrays/accumulator.ts';
import { createRowsBuilder, groupBy, type Rows } from './arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer, offerTouched, type TopN } from './arrays/top-n.ts';
import type { Feature, FeatureMatrix } from './features.ts';
import type { Algorithm } from './model.ts';
import { createNeighbourModel } from './neighbours.ts';
import { type RowStage, type RunRows, runRowsHere } from './row-stages.ts';

export type ContentSimilarityOptions = {
  /** Neighbours kept per item. */
  neighbourCount?: number;
  /** Postings read per item. */
  postingBudget?: number;
  /** Computes the rows [this thread]. */
  runRows?: RunRows;
};

/** 2,000 postings: 92,000 products in about four seconds; half of them saves only a quarter. */
const defaultContentSimilarityOptions: Required<Omit<ContentSimilarityOptions, 'runRows'>> = {
  neighbourCount: 50,
  postingBudget: 2000,
};

/** Neighbours by item, and the index that found them, for comparing new items later. */
export type ContentTables = {
  neighbours: Rows;
  /** Ascending; the position is the feature id. */
  hashes: Float64Array;
  /** ln(1 + items / items with the feature), per feature. */
  idf: Float32Array;
  /** One row per feature: its items ascending, scored by their normalised weight. */
  postings: Rows;
};

export const contentSimilarity: Algorithm<FeatureMatrix, ContentSimilarityOptions, ContentTables> = {
  name: 'content_similarity',
  train(matrix, { runRows = runRowsHere, ...options }) {
    const { neighbourCount, postingBudget } = { ...defaultContentSimilarityOptions, ...options };
    const { idf, postings, vectors } = createIndex(matrix);
    const plan = { vectors, postings, postingBudget, neighbourCount };
    const neighbours = runRows(contentRows, plan, matrix.itemCount);
    return { neighbours, hashes: matrix.hashes, idf, postings };
  },
  serve: (tables, mapping) => createNeighbourModel('content_similarity', tables.neighbours, mapping),
};

export type Similar = { local: number; score: number };

/**
 * Compares a new item by its features: returns the most similar known items. Reads at most
 * `postingBudget` postings and allocates, so call it per new item, not per request.
 */
export function similarTo(
  tables: ContentTables,
  features: readonly Feature[],
  { neighbourCount, postingBudget } = { neighbourCount: 50, postingBudget: 5000 },
): Similar[] {
  const known = features
    .map(({ hash, weight }) => ({ id: findHash(tables.hashes, hash), weight }))
    .filter(({ id }) => id >= 0)
    .map(({ id, weight }) => ({ id, weight: weight * tables.idf[id] }))
    .sort((a, b) => tables.idf[b.id] - tables.idf[a.id] || a.id - b.id);
  const norm = Math.hypot(...known.map(({ weight }) => weight));
  const sums = new Map<number, number>();
  let budget = postingBudget;
  for (const { id, weight } of known) {
    const end = tables.postings.offsets[id + 1];
    const start = Math.max(tables.postings.offsets[id], end - budget);
    for (let entry = start; entry < end; entry++) {
      const local = tables.postings.items[entry];
      sums.set(local, (sums.get(local) ?? 0) + (weight / norm) * tables.postings.scores[entry]);
    }
    budget -= end - start;
  }
  const ranked = Array.from(sums, ([local, score]) => ({ local, score }));
  return ranked.sort((a, b) => b.score - a.score || a.local - b.local).slice(0, neighbourCount);
}

/** Returns the feature id of a hash, or -1. */
export function findHash(hashes: Float64Array, hash: number): number {
  const at = partitionPoint(0, hashes.length, (place) => hashes[place] < hash);
  return hashes[at] === hash ? at : -1;
}

/** Item vectors of length 1, rarest feature first; rows of items, scored by weight. */
type Vectors = Rows;

function createIndex({ itemCount, offsets, feature, weight, hashes }: FeatureMatrix) {
  const byFeature = groupBy(feature, hashes.length);
  const idf = Float32Array.from(hashes, (_, id) =>
    Math.log(1 + itemCount / (byFeature.offsets[id + 1] - byFeature.offsets[id])),
  );
  const vectors: Vectors = { offsets, items: feature.slice(), scores: new Float32Array(feature.length) };
  const itemOf = new Int32Array(feature.length);
  for (let item = 0; item < itemCount; item++) {
    weighVector(vectors, item, { weight, idf });
    itemOf.fill(item, offsets[item], offsets[item + 1]);
  }
  const { order, offsets: postingOffsets } = groupBy(vectors.items, hashes.length);
  const postings: Rows = {
    offsets: postingOffsets,
    items: order.map((entry) => itemOf[entry]),
    scores: Float32Array.from(order, (entry) => vectors.scores[entry]),
  };
  return { idf, postings, vectors };
}

function weighVector(
  { offsets, items, scores }: Vectors,
  item: number,
  { weight, idf }: { weight: Float32Array; idf: Float32Array },
): void {
  const start = offsets[item];
  const entries = Array.from({ length: offsets[item + 1] - start }, (_, place) => ({
    feature: items[start + place],
    weight: weight[start + place] * idf[items[start + place]],
  }));
  entries.sort((a, b) => idf[b.feature] - idf[a.feature] || a.feature - b.feature);
  const norm = Math.hypot(...entries.map((entry) => entry.weight));
  entries.forEach((entry, place) => {
    items[start + place] = entry.feature;
    scores[start + place] = entry.weight / norm;
  });
}

/** Buffers of a search, allocated once for all items. */
type Search = {
  vectors: Vectors;
  postings: Rows;
  postingBudget: number;
  accumulator: Accumulator;
  /** Scratch vector over features; zero between items. */
  own: Float32Array;
  /** Twice as many as needed, plus the item itself. */
  candidates: TopN;
  top: TopN;
};

type Plan = { vectors: Vectors; postings: Rows; postingBudget: number; neighbourCount: number };

export const contentRows: RowStage<Plan> = {
  name: 'content_similarity',
  rows: (plan, start, end) => findNeighbours(createSearch(plan), start, end),
};

function createSearch({ vectors, postings, postingBudget, neighbourCount }: Plan): Search {
  return {
    vectors,
    postings,
    postingBudget,
    accumulator: createAccumulator(vectors.offsets.length - 1),
    own: new Float32Array(postings.offsets.length - 1),
    candidates: createTopN(neighbourCount * 2 + 1),
    top: createTopN(neighbourCount),
  };
}

function findNeighbours(search: Search, start: number, end: number): Rows {
  const rows = createRowsBuilder(end - start);
  for (let item = start; item < end; item++) {
    begin(search.accumulator);
    readPostings(search, item);
    beginTopN(search.candidates);
    offerTouched(search.candidates, search.accumulator);
    scoreExactly(search, item);
    rows.appendRow(search.top);
  }
  return rows.finish();
}

function readPostings({ vectors, postings, postingBudget, accumulator }: Search, item: number): void {
  let budget = postingBudget;
  for (let place = vectors.offsets[item]; place < vectors.offsets[item + 1] && budget > 0; place++) {
    const feature = vectors.items[place];
    const { start, end } = windowAround(item, postings, feature, budget);
    for (let entry = start; entry < end; entry++) {
      add(accumulator, postings.items[entry], vectors.scores[place] * postings.scores[entry]);
    }
    budget -= end - start;
  }
}

/** Returns the feature's postings, or `size` of them centred on the item. */
function windowAround(item: number, { offsets, items }: Rows, feature: number, size: number) {
  const start = offsets[feature];
  const end = offsets[feature + 1];
  if (end - start <= size) return { start, end };
  const own = partitionPoint(start, end, (at) => items[at] < item);
  const first = Math.min(Math.max(start, own - (size >> 1)), end - size);
  return { start: first, end: first + size };
}

/** Computes the exact cosine of each candidate; the best remain in `top`. */
function scoreExactly({ vectors, candidates, own, top }: Search, item: number): void {
  const { offsets, items, scores } = vectors;
  for (let entry = offsets[item]; entry < offsets[item + 1]; entry++) own[items[entry]] = scores[entry];
  beginTopN(top);
  for (let rank = 0; rank < candidates.size; rank++) {
    const other = candidates.items[rank];
    if (other === item) continue;
    let cosine = 0;
    for (let entry = offsets[other]; entry < offsets[other + 1]; entry++) {
      cosine += own[items[entry]] * scores[entry];
    }
    offer(top, other, Math.fround(cosine));
  }
  finishTopN(top);
  for (let entry = offsets[item]; entry < offsets[item + 1]; entry++) own[items[entry]] = 0;
}
