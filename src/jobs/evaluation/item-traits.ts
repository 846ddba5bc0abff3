/** Item data for measures of whole lists: how known items are and how much two differ. */

import { groupBy } from '../../ranking/models/arrays/rows.ts';
import type { FeatureMatrix } from '../../ranking/models/features.ts';
import type { Interactions } from '../../ranking/models/interactions.ts';
import { createSequences } from '../../ranking/models/sequences.ts';
import type { ItemTraits } from './metrics.ts';

/** Compares items by at most this many subjects, the last ones. */
const subjectsCompared = 200;

/** @param features Used to compare items if known; otherwise the items' subjects. */
export function traitsOf(train: Interactions, features?: FeatureMatrix): ItemTraits {
  const sequences = createSequences(train, Number.POSITIVE_INFINITY);
  const bySubject = subjectsOfItems(sequences, train.itemCount);
  const sets = features ? sorted(features) : bySubject;
  return {
    itemCount: train.itemCount,
    novelty: Float32Array.from({ length: train.itemCount }, (_, item) => {
      const met = bySubject.offsets[item + 1] - bySubject.offsets[item];
      return -Math.log2((met + 1) / (train.subjectCount + 1));
    }),
    distance: (a, b) => 1 - cosineOf(sets, a, b),
  };
}

/** Features ascend within an item. */
type Sets = { offsets: Int32Array; feature: Int32Array };

function subjectsOfItems(
  { offsets, item }: { offsets: Int32Array; item: Int32Array },
  itemCount: number,
): Sets {
  const subject = new Int32Array(item.length);
  for (let owner = 0; owner + 1 < offsets.length; owner++)
    subject.fill(owner, offsets[owner], offsets[owner + 1]);
  const byItem = groupBy(item, itemCount);
  return { offsets: byItem.offsets, feature: byItem.order.map((entry) => subject[entry]) };
}

function sorted({ offsets, feature }: Sets): Sets {
  const ascending = feature.slice();
  for (let item = 0; item + 1 < offsets.length; item++)
    ascending.subarray(offsets[item], offsets[item + 1]).sort();
  return { offsets, feature: ascending };
}

/** Cosine of two sets: |a ∩ b| / √(|a| · |b|). */
function cosineOf({ offsets, feature }: Sets, a: number, b: number): number {
  const startOf = (item: number) => Math.max(offsets[item], offsets[item + 1] - subjectsCompared);
  let one = startOf(a);
  let other = startOf(b);
  const size = Math.sqrt((offsets[a + 1] - one) * (offsets[b + 1] - other));
  let shared = 0;
  while (one < offsets[a + 1] && other < offsets[b + 1]) {
    const difference = feature[one] - feature[other];
    if (difference === 0) shared += 1;
    if (difference <= 0) one += 1;
    if (difference >= 0) other += 1;
  }
  return shared === 0 ? 0 : shared / size;
}
