/** Serves item-item tables: each seed adds its neighbours, scaled by the seed's weight. */

import { addRun } from './arrays/accumulator.ts';
import type { Rows } from './arrays/rows.ts';
import type { IndexMapping, Model, Reason } from './model.ts';

/** Creates a model that proposes the seeds' neighbours. One row per local item, best first. */
export function createNeighbourModel(name: string, table: Rows, mapping: IndexMapping): Model {
  const { offsets } = table;
  return {
    name,
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      for (let seed = 0; seed < query.seedCount; seed++) {
        const local = query.seedLocal[seed];
        const scale = weight * query.seedWeight[seed];
        if (local < 0 || scale === 0) continue;
        addRun(accumulator, table, offsets[local], offsets[local + 1], scale);
      }
    },
    explain(query, weight, itemIndex) {
      const candidate = mapping.localOf[itemIndex] ?? -1;
      const reasons: Reason[] = [];
      for (let seed = 0; seed < query.seedCount; seed++) {
        const seedLocal = query.seedLocal[seed];
        if (seedLocal < 0) continue;
        const score = weight * query.seedWeight[seed] * scoreInRow(table, seedLocal, candidate);
        if (score !== 0) reasons.push({ seedItemIndex: query.seedItemIndex[seed], seedLocal, score });
      }
      return reasons;
    },
  };
}

/** Returns the score of `item` in a row, else 0. */
export function scoreInRow({ offsets, items, scores }: Rows, row: number, item: number): number {
  for (let entry = offsets[row]; entry < offsets[row + 1]; entry++) {
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
