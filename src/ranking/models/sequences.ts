/** Each subject's distinct items by last contact: input of item-item and session models. */

import type { Interactions } from './interactions.ts';

export type Sequences = {
  /** Length: subjects + 1. */
  offsets: Int32Array;
  item: Int32Array;
  /** Unix seconds of the last contact; ascending within a subject. */
  timeSeconds: Float64Array;
  /** The subject's total weight for the item, always above 0. */
  strength: Float32Array;
};

/**
 * Keeps the last `maxItemsPerSubject` items of a subject: costs grow with its square, and longer
 * histories are mostly robots or shared devices.
 */
export function createSequences(interactions: Interactions, maxItemsPerSubject: number): Sequences {
  const { subjectCount, itemCount, subjectOffsets, item } = interactions;
  const offsets = new Int32Array(subjectCount + 1);
  const entries = new Int32Array(item.length);
  const strengths = new Float32Array(item.length);
  const strengthOf = new Float32Array(itemCount);
  let used = 0;
  for (let subject = 0; subject < subjectCount; subject++) {
    const start = subjectOffsets[subject];
    const end = subjectOffsets[subject + 1];
    for (let event = start; event < end; event++) strengthOf[item[event]] += interactions.weight[event];
    for (let event = end - 1; event >= start && used - offsets[subject] < maxItemsPerSubject; event--) {
      const strength = strengthOf[item[event]];
      if (strength <= 0) continue;
      strengthOf[item[event]] = 0;
      strengths[used] = strength;
      entries[used++] = event;
    }
    for (let event = start; event < end; event++) strengthOf[item[event]] = 0;
    entries.subarray(offsets[subject], used).reverse();
    strengths.subarray(offsets[subject], used).reverse();
    offsets[subject + 1] = used;
  }
  const kept = entries.subarray(0, used);
  return {
    offsets,
    item: Int32Array.from(kept, (event) => item[event]),
    timeSeconds: Float64Array.from(kept, (event) => interactions.timeSeconds[event]),
    strength: strengths.slice(0, used),
  };
}
