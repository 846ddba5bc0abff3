/** Serves item-item tables: each seed adds its neighbours, scaled by the seed's weight. */

import { addRun } from './arrays/accumulator.ts';
import type { Rows } from './arrays/rows.ts';
import type { IndexMapping, Model, Reason } from './model.ts';
import { createReadingDepths } from './reading-depths.ts';

/** Creates a model that proposes the seeds' neighbours. One row per local item, best first. */
export function createNeighbourModel(name: string, table: Rows, mapping: IndexMapping): Model {
  const { offsets } = table;
  const depths = createReadingDepths(table);
  return {
    name,
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      const depthOf = depths.of(query);
      for (let seed = 0; seed < query.seedCount; seed++) {
        if (depthOf[seed] === 0) continue;
        const start = offsets[query.seedLocal[seed]];
        addRun(accumulator, table, start, start + depthOf[seed], weight * query.seedWeight[seed]);
      }
    },
    explain(query, weight, itemIndex) {
      const depthOf = depths.of(query);
      const candidate = mapping.localOf[itemIndex] ?? -1;
      const reasons: Reason[] = [];
      for (let seed = 0; seed < query.seedCount; seed++) {
        const seedLocal = query.seedLocal[seed];
        if (seedLocal < 0) continue;
        const score =
          weight * query.seedWeight[seed] * scoreInRow(table, seedLocal, candidate, depthOf[seed]);
        if (score !== 0) reasons.push({ seedItemIndex: query.seedItemIndex[seed], seedLocal, score });
      }
      return reasons;
    },
  };
}

/** Returns the score of `item` in the first `depth` entries of a row [all], else 0. */
export function scoreInRow(
  { offsets, items, scores }: Rows,
  row: number,
  item: number,
  depth = Number.POSITIVE_INFINITY,
): number {
  const end = Math.min(offsets[row + 1], offsets[row] + depth);
  for (let entry = offsets[row]; entry < end; entry++) {
    if (items[entry] === item) return scores[entry];
  }
  return 0;
}

/** Scales a table so that an item's best neighbour averages 1 and blend weights are comparable. */
export function scaleToUnitBest(rows: Rows): Rows {
  const { offsets, scores } = rows;
  let sum = 0;
  let count = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (offsets[row] === offsets[row + 1]) continue;
    sum += scores[offsets[row]];
    count += 1;
  }
  return count === 0 ? rows : { ...rows, scores: scores.map((score) => (score * count) / sum) };
}
