/**
 * Ranks current trends by the subject's interest in their categories:
 *
 *   score(j) = (share of j's category among the seeds + a share for the unexpected) · trend(j)
 *
 * One model per time window. The share for the unexpected shrinks with more seeds.
 */

import { add, reserve } from '../arrays/accumulator.ts';
import { type IndexMapping, type Model, type Query, sumIndexOf } from '../model.ts';
import { emptyTrends, type TrendName, type TrendSnapshot, trendNames } from './trends.ts';

/** Weight of the unexpected, in seeds. */
const unknownSeeds = 2;
const unexpectedShare = 0.15;

export type TrendView = {
  current(): TrendSnapshot;
  categoryOf(itemIndex: number): string | undefined;
  /** Highest item index plus one. */
  readonly itemCount: number;
};

/** View without counts. */
export const noTrends: TrendView = { current: () => emptyTrends, categoryOf: () => undefined, itemCount: 0 };

export function createTrendModels(view: TrendView, mapping: IndexMapping): Model[] {
  const interests = createInterests(view);
  return trendNames.map((name) => createTrendModel(name, { view, mapping, interests }));
}

type Interests = {
  /** Returns the row and share of each category among the query's seeds. */
  read(query: Query, snapshot: TrendSnapshot): { shares: ReadonlyMap<number, number>; unexpected: number };
};

function createInterests({ categoryOf }: TrendView): Interests {
  let rows = new Map<string, number>();
  let rowsOf: TrendSnapshot | undefined;
  return {
    read(query, snapshot) {
      if (rowsOf !== snapshot) {
        rowsOf = snapshot;
        rows = new Map(snapshot.categories.map((category, row) => [category, row]));
      }
      const known = query.seedCount / (query.seedCount + unknownSeeds);
      const shares = new Map<number, number>();
      for (let seed = 0; seed < query.seedCount; seed++) {
        const itemIndex = query.seedItemIndex[seed];
        const category = itemIndex < 0 ? undefined : categoryOf(itemIndex);
        const row = category === undefined ? undefined : rows.get(category);
        if (row === undefined) continue;
        shares.set(row, (shares.get(row) ?? 0) + known * query.seedWeight[seed]);
      }
      return { shares, unexpected: unexpectedShare * (1 - known) + unexpectedShare / 10 };
    },
  };
}

type Parts = { view: TrendView; mapping: IndexMapping; interests: Interests };

function createTrendModel(name: TrendName, { view, mapping, interests }: Parts): Model {
  /** Visits each candidate with its score. */
  const visit = (query: Query, take: (itemIndex: number, score: number) => void): void => {
    if (query.seedCount === 0) return;
    const snapshot = view.current();
    const { offsets, items, scores } = snapshot.windows[name];
    const { shares, unexpected } = interests.read(query, snapshot);
    for (const [row, share] of shares)
      for (let at = offsets[row]; at < offsets[row + 1]; at++) take(items[at], share * scores[at]);
    const all = snapshot.categories.length;
    for (let at = offsets[all]; at < offsets[all + 1]; at++) take(items[at], unexpected * scores[at]);
  };
  return {
    name,
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      reserve(accumulator, mapping.itemIndexOf.length + view.itemCount);
      visit(query, (itemIndex, score) => add(accumulator, sumIndexOf(mapping, itemIndex), weight * score));
    },
    explain(query, weight, itemIndex) {
      let sum = 0;
      visit(query, (candidate, score) => {
        if (candidate === itemIndex) sum += score;
      });
      return sum === 0 ? [] : [{ score: weight * sum }];
    },
  };
}
