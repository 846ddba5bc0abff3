/**
 * Exponentially decayed popularity, overall and per segment (page type, channel, category, declared
 * properties).
 *
 *   score(i) = Σ_events weight · 2^(-age / half-life), divided by the best item's score, so scores lie in 0…1
 *
 * Lifts proposed items and proposes its head to subjects with any history; `order` and the
 * segments' rows are fallbacks.
 */

import { add, begin, createAccumulator, liftAll, liftRun, touchAll } from './arrays/accumulator.ts';
import { createRowsBuilder, groupBy, type Rows, type RowsBuilder } from './arrays/rows.ts';
import { createStringTable, type StringTable, stringAt, stringCount } from './arrays/string-table.ts';
import { beginTopN, createTopN, finishTopN, offerTouched } from './arrays/top-n.ts';
import type { Interactions } from './interactions.ts';
import { keySeparator } from './item-keys.ts';
import type { Algorithm, IndexMapping, Model, Query } from './model.ts';
import { scoreInRow } from './neighbours.ts';

export type TrendingOptions = {
  /** Time to which ages are measured, Unix seconds. Later events have age 0. */
  nowSeconds: number;
  /** Half-life of an event. Default 3 days: follows news, outlives a weekend. */
  halfLifeSeconds?: number;
  /** Category of each local item as a position in `keys`, -1 for none. */
  categories?: { keys: readonly string[]; ofItem: Int32Array };
};

export type TrendingTables = {
  /** Score per local item. */
  scores: Float32Array;
  /** Local items with a score above 0, best first. */
  order: Int32Array;
  /** One row per segment. */
  segments: Rows;
  /** Name of each row, see `segmentKey`. */
  segmentKeys: StringTable;
  /** Decayed weight of each segment's events: the certainty of its ranking. */
  segmentMass?: Float32Array;
};

export const defaultHalfLifeSeconds = 3 * 86_400;
/** Deep enough to fill the largest list (1,000 items) from one segment. */
const segmentDepth = 1_000;

/** @param kind `page_type`, `channel`, `category` or the name of an event property. */
export function segmentKey(kind: string, value: string): string {
  return kind + keySeparator + value;
}

/** Maps segment keys to rows; call it once per load. */
export function segmentRows({ segmentKeys }: TrendingTables): Map<string, number> {
  const rows = new Map<string, number>();
  for (let row = 0; row < stringCount(segmentKeys); row++) rows.set(stringAt(segmentKeys, row), row);
  return rows;
}

export const trending: Algorithm<Interactions, TrendingOptions, TrendingTables> = {
  name: 'trending',
  train(interactions, options) {
    const decayed = decay(
      interactions,
      options.nowSeconds,
      options.halfLifeSeconds ?? defaultHalfLifeSeconds,
    );
    const sums = new Float64Array(interactions.itemCount);
    for (let event = 0; event < decayed.length; event++) sums[interactions.item[event]] += decayed[event];
    const best = sums.reduce((most, sum) => Math.max(most, sum), 0);
    const scores = Float32Array.from(sums, (sum) => (sum > 0 ? sum / best : 0));
    return {
      scores,
      order: orderOf(scores),
      ...trainSegments(interactions, decayed, options),
    };
  },
  serve: (tables, mapping) => createTrendingModel(tables, mapping),
};

function decay(
  { timeSeconds, weight }: Interactions,
  nowSeconds: number,
  halfLifeSeconds: number,
): Float32Array {
  return weight.map((value, event) => {
    const ageSeconds = Math.max(0, nowSeconds - timeSeconds[event]);
    return value * 2 ** (-ageSeconds / halfLifeSeconds);
  });
}

function orderOf(scores: Float32Array): Int32Array {
  const items = Int32Array.from(scores.keys()).filter((item) => scores[item] > 0);
  return items.sort((a, b) => scores[b] - scores[a] || a - b);
}

function trainSegments(interactions: Interactions, decayed: Float32Array, options: TrendingOptions) {
  const { pageTypes, channels, pageType, channel, properties, item } = interactions;
  const categories = options.categories ?? {
    keys: [],
    ofItem: new Int32Array(interactions.itemCount).fill(-1),
  };
  const category = item.map((local) => categories.ofItem[local]);
  const keys = [
    ...pageTypes.map((value) => segmentKey('page_type', value)),
    ...channels.map((value) => segmentKey('channel', value)),
    ...categories.keys.map((value) => segmentKey('category', value)),
    ...properties.flatMap(({ name, values }) => values.map((value) => segmentKey(name, value))),
  ];
  const rows = createRowsBuilder(keys.length);
  const masses: number[] = [];
  const appendRows = createSegmentRanking(interactions, decayed, masses);
  appendRows(pageType, pageTypes.length, rows);
  appendRows(channel, channels.length, rows);
  appendRows(category, categories.keys.length, rows);
  for (const { values, ofEvent } of properties) appendRows(ofEvent, values.length, rows);
  return {
    segments: rows.finish(),
    segmentKeys: createStringTable(keys),
    segmentMass: Float32Array.from(masses),
  };
}

/** Ranks the items of each segment of one kind, with one counting sort of the events. */
function createSegmentRanking({ item, itemCount }: Interactions, decayed: Float32Array, masses: number[]) {
  const accumulator = createAccumulator(itemCount);
  const top = createTopN(segmentDepth);
  return (segmentOfEvent: Int32Array, segmentCount: number, rows: RowsBuilder): void => {
    const { offsets, order } = groupBy(segmentOfEvent, segmentCount);
    for (let segment = 0; segment < segmentCount; segment++) {
      begin(accumulator);
      let mass = 0;
      for (let place = offsets[segment]; place < offsets[segment + 1]; place++) {
        add(accumulator, item[order[place]], decayed[order[place]]);
        mass += Math.max(0, decayed[order[place]]);
      }
      masses.push(mass);
      beginTopN(top);
      offerTouched(top, accumulator);
      finishTopN(top);
      /** Without positive scores nothing trends; a negative divisor would invert the order. */
      const best = top.size > 0 && top.scores[0] > 0 ? top.scores[0] : 1;
      for (let rank = 0; rank < top.size; rank++) top.scores[rank] /= best;
      rows.appendRow(top);
    }
  };
}

/** Share of the overall trend; the request's segments share the rest. */
const overallShare = 0.5;

function createTrendingModel(tables: TrendingTables, mapping: IndexMapping): Model {
  const { scores, order, segments } = tables;
  const head = order.subarray(0, headLength);
  const accumulateRest: Model['accumulateRest'] = (query, weight, accumulator) => {
    const share = weight * segmentShare(query);
    for (let place = 0; place < query.segmentCount; place++) {
      const row = query.segments[place];
      liftRun(accumulator, segments, segments.offsets[row], segments.offsets[row + 1], share);
    }
  };
  return {
    name: 'trending',
    role: 'lifts',
    standing: { scores, share: overallShare, head },
    accumulateRest,
    accumulate(query, weight, accumulator) {
      if (query.seedCount > 0) touchAll(accumulator, head);
      accumulateRest(query, weight, accumulator);
      liftAll(accumulator, scores, weight * overallShare);
    },
    explain(query, weight, itemIndex) {
      const local = mapping.localOf[itemIndex] ?? -1;
      if (local < 0) return [];
      let share = overallShare * scores[local];
      for (let place = 0; place < query.segmentCount; place++) {
        share += segmentShare(query) * scoreInRow(segments, query.segments[place], local);
      }
      return share === 0 ? [] : [{ score: weight * share }];
    },
  };
}

/** Candidates proposed to subjects with any history; the fallbacks fill longer lists. */
const headLength = 100;

function segmentShare(query: Query): number {
  return query.segmentCount === 0 ? 0 : (1 - overallShare) / query.segmentCount;
}
