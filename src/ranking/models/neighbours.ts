/** Serving of any item-item table: each seed adds its neighbours, scaled by the seed's weight. */

import { addRun } from './arrays/accumulator.ts';
import type { Rows } from './arrays/rows.ts';
import type { IndexMapping, Model, Reason } from './model.ts';
import { createReadingDepths } from './reading-depths.ts';

/** A model that proposes the neighbours of the seeds. The table has one row per local item, best first. */
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

/** The score of `item` among the first `depth` entries of a row [all], 0 when it is not there. */
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

/** Scales a table by one constant so that the best neighbour of an item scores 1 on average: blend weights then mean the same on every data set. */
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
