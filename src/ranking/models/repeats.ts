/**
 * Repeat consumption: the subject's own items, by frequency and recency.
 *
 *   score(i) = seed weight of i · (contacts with i)^p, with a slow profile
 *
 * Personal frequency with decay is a baseline that next-basket models seldom beat (Hu, He, Gao,
 * Zhang, "Modeling Personalized Item Frequency Information for Next-basket Recommendation", SIGIR
 * 2020). Items that must not repeat are excluded later, so this proposes the whole history. Items
 * that hardly anyone consumes twice are lowered:
 *
 *   score(i) · (share of the item's subjects that came back to it, smoothed by the average item's share)^q
 *
 * Weekly staples favour p = 1 and q = 0; where each contact makes the next less likely, smaller p
 * and larger q win. Held-out events choose both.
 */

import { add, reserve } from './arrays/accumulator.ts';
import { sumOf } from './arrays/statistics.ts';
import type { Interactions } from './interactions.ts';
import { type Algorithm, type IndexMapping, type Model, type Query, sumIndexOf } from './model.ts';

export type RepeatsOptions = {
  /** Return statistics, when counted before. */
  returns?: Returns;
  /** p */
  frequencyPower?: number;
  /** q */
  returningPower?: number;
};

export type RepeatsTables = {
  /** Per local item: likelihood of a return, relative to the average item. */
  returning: Float32Array;
  /** [p] */
  frequency: Float64Array;
};

/** Statistics independent of the options, so that trying options counts once. */
export type Returns = {
  /** Per local item: subjects with a contact, and subjects that returned. */
  subjects: Int32Array;
  returned: Int32Array;
};

const defaultRepeatsOptions = { frequencyPower: 0.7, returningPower: 1 };

/** Contacts of a subject closer than this are one occasion. */
const occasionSeconds = 60;

/** Prior weight of the average share, in subjects. */
const priorSubjects = 10;

/** Value for items newer than the training. */
const unknownReturning = 1;

export const repeats: Algorithm<Interactions, RepeatsOptions, RepeatsTables> = {
  name: 'repeats',
  train(interactions, { returns = learnReturns(interactions), ...options }) {
    const { frequencyPower, returningPower } = { ...defaultRepeatsOptions, ...options };
    const { subjects, returned } = returns;
    const frequency = Float64Array.of(frequencyPower);
    const all = sumOf(subjects);
    const average = sumOf(returned) / Math.max(1, all);
    if (average === 0)
      return { returning: new Float32Array(interactions.itemCount).fill(Math.sign(all)), frequency };
    return {
      frequency,
      returning: Float32Array.from(
        subjects,
        (count, item) =>
          ((returned[item] + priorSubjects * average) / (count + priorSubjects) / average) ** returningPower,
      ),
    };
  },
  serve: (tables, mapping) => createRepeatsModel(tables, mapping),
};

export function learnReturns(interactions: Interactions): Returns {
  const { itemCount, subjectCount, subjectOffsets, item, timeSeconds, weight } = interactions;
  const subjects = new Int32Array(itemCount);
  const returned = new Int32Array(itemCount);
  const firstTime = new Float64Array(itemCount);
  const lastSubject = new Int32Array(itemCount).fill(-1);
  const hasReturned = new Uint8Array(itemCount);
  for (let subject = 0; subject < subjectCount; subject++) {
    for (let event = subjectOffsets[subject]; event < subjectOffsets[subject + 1]; event++) {
      const met = item[event];
      if (weight[event] <= 0) continue;
      if (lastSubject[met] !== subject) {
        lastSubject[met] = subject;
        firstTime[met] = timeSeconds[event];
        hasReturned[met] = 0;
        subjects[met] += 1;
      } else if (hasReturned[met] === 0 && timeSeconds[event] - firstTime[met] > occasionSeconds) {
        hasReturned[met] = 1;
        returned[met] += 1;
      }
    }
  }
  return { subjects, returned };
}

function createRepeatsModel({ returning, frequency: [power] }: RepeatsTables, mapping: IndexMapping): Model {
  /** Excludes the item on display, which is no past consumption. */
  const pastCount = (query: Query) => (query.hasContext ? query.seedCount - 1 : query.seedCount);
  const scoreOf = (query: Query, seed: number): number => {
    const local = mapping.localOf[query.seedItemIndex[seed]] ?? -1;
    const share = local < 0 ? unknownReturning : returning[local];
    return query.seedWeight[seed] * query.seedContacts[seed] ** power * share;
  };
  return {
    name: 'repeats',
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      for (let seed = 0; seed < pastCount(query); seed++) {
        const itemIndex = query.seedItemIndex[seed];
        if (itemIndex < 0) continue;
        const index = sumIndexOf(mapping, itemIndex);
        /** The item may be newer than the tables. */
        reserve(accumulator, index + 1);
        add(accumulator, index, weight * scoreOf(query, seed));
      }
    },
    explain(query, weight, itemIndex) {
      for (let seed = 0; seed < pastCount(query); seed++) {
        if (query.seedItemIndex[seed] !== itemIndex) continue;
        const seedLocal = query.seedLocal[seed];
        return [{ seedItemIndex: itemIndex, seedLocal, score: weight * scoreOf(query, seed) }];
      }
      return [];
    },
  };
}
