/**
 * Next items: those that follow an item within a few steps of a subject's events, nearer ones
 * counting more.
 *
 *   score(i → j) = Σ 1 / gap over the times j came 1…W steps after i, divided by n_i · n_j^β
 *
 * A first-order Markov chain smoothed over the window, as "sequential rules" (Ludewig, Jannach,
 * "Evaluation of Session-based Recommendation Algorithms", UMUAI 2018). Steps more than
 * `maxGapSeconds` apart do not count. Neither do simultaneous events, unless the data have no
 * times: then the order of arrival counts. Items taken back (remove_from_cart) are skipped.
 */

import { add, begin, createAccumulator } from './arrays/accumulator.ts';
import { createRowsBuilder, groupBy, type Rows } from './arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offerTouched } from './arrays/top-n.ts';
import { type Interactions, isTimed } from './interactions.ts';
import type { Algorithm } from './model.ts';
import { createNeighbourModel, scaleToUnitBest } from './neighbours.ts';

export type TransitionsOptions = {
  /** W: steps looked ahead. */
  window?: number;
  maxGapSeconds?: number;
  /** Per item: 1 for items that get a row, when only some are needed. */
  onlyItems?: Uint8Array;
};

const defaultTransitionsOptions: Required<Omit<TransitionsOptions, 'onlyItems'>> = {
  window: 4,
  maxGapSeconds: 7 * 86_400,
};

/** Followers kept per item. */
const neighbourCount = 50;

/** β: 0 leaves popular followers unchanged, 1 removes popularity. */
const beta = 0.2;

export const transitions: Algorithm<Interactions, TransitionsOptions, Rows> = {
  name: 'transitions',
  train(interactions, { onlyItems, ...options }) {
    const settings = { ...defaultTransitionsOptions, ...options };
    const { itemCount } = interactions;
    const steps = createSteps(interactions);
    const { offsets, order } = groupBy(steps.item, itemCount);
    const damping = Float64Array.from(
      { length: itemCount },
      (_, item) => Math.max(1, offsets[item + 1] - offsets[item]) ** -beta,
    );
    const accumulator = createAccumulator(itemCount);
    const top = createTopN(neighbourCount);
    const rows = createRowsBuilder(itemCount);
    for (let item = 0; item < itemCount; item++) {
      begin(accumulator);
      const share = 1 / Math.max(1, offsets[item + 1] - offsets[item]);
      const end = onlyItems?.[item] === 0 ? offsets[item] : offsets[item + 1];
      for (let visit = offsets[item]; visit < end; visit++) {
        followFrom(order[visit], steps, settings, (next, worth) =>
          add(accumulator, next, worth * share * damping[next]),
        );
      }
      beginTopN(top);
      offerTouched(top, accumulator);
      finishTopN(top);
      rows.appendRow(top);
    }
    return scaleToUnitBest(rows.finish());
  },
  serve: (tables, mapping) => createNeighbourModel('transitions', tables, mapping),
};

/** Events of positive weight in order, without immediate repetitions, and their subjects. */
type Steps = { item: Int32Array; timeSeconds: Float64Array; subject: Int32Array; isTimed: boolean };

function createSteps(interactions: Interactions): Steps {
  const { subjectCount, subjectOffsets, item, timeSeconds, weight } = interactions;
  const kept = new Int32Array(item.length);
  const subject = new Int32Array(item.length);
  let used = 0;
  for (let owner = 0; owner < subjectCount; owner++) {
    let last = -1;
    for (let event = subjectOffsets[owner]; event < subjectOffsets[owner + 1]; event++) {
      if (weight[event] <= 0 || item[event] === last) continue;
      last = item[event];
      subject[used] = owner;
      kept[used++] = event;
    }
  }
  const events = kept.subarray(0, used);
  return {
    item: events.map((event) => item[event]),
    timeSeconds: Float64Array.from(events, (event) => timeSeconds[event]),
    subject: subject.slice(0, used),
    isTimed: isTimed(interactions),
  };
}

function followFrom(
  start: number,
  { item, timeSeconds, subject, isTimed }: Steps,
  { window, maxGapSeconds }: typeof defaultTransitionsOptions,
  take: (next: number, worth: number) => void,
): void {
  for (let gap = 1; gap <= window && start + gap < item.length; gap++) {
    const next = start + gap;
    if (subject[next] !== subject[start] || timeSeconds[next] - timeSeconds[start] > maxGapSeconds) return;
    if ((isTimed && timeSeconds[next] === timeSeconds[start]) || item[next] === item[start]) continue;
    take(item[next], 1 / gap);
  }
}
