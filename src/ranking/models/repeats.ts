/**
 * Consuming again: the user's own items, the more often and the later they were consumed.
 *
 *   score(i) = seed weight of i · (contacts with i)^p, with a slow profile
 *
 * Personal frequency with decay is the baseline that next-basket models seldom beat (Hu, He, Gao, Zhang, "Modeling
 * Personalized Item Frequency Information for Next-basket Recommendation", SIGIR 2020). What must not be recommended again
 * is excluded later, so this proposes whatever the user met. What nearly nobody consumes twice is held back:
 *
 *   score(i) · (share of the item's subjects that came back to it, smoothed by the average item's share)^q
 *
 * Where a few staples are bought week by week, p = 1 and q = 0 say who buys what; where every contact makes the next one less
 * likely, smaller p and larger q do. Both are chosen on held-back events.
 *
 * Whether anything comes again depends on the history as a whole: who went back a moment ago goes on comparing, who met only new
 * things looks for more. So all scores of a request are multiplied by the odds of a return after such histories, as the log has
 * them, beside those after the average one (repeat and explore modes: Ren et al., "RepeatNet", AAAI 2019).
 */

import { add, reserve } from './arrays/accumulator.ts';
import type { Interactions } from './interactions.ts';
import { type Algorithm, type IndexMapping, type Model, type Query, sumIndexOf } from './model.ts';
import { learnReturnOdds, returnCellOf } from './return-odds.ts';

export type RepeatsOptions = {
  /** What the log says of coming back, where that was counted before. */
  returns?: Returns;
  /** p */
  frequencyPower?: number;
  /** q */
  returningPower?: number;
};

export type RepeatsTables = {
  /** Per local item: how likely who met it comes back to it, relative to the average item. */
  returning: Float32Array;
  /** [p] */
  frequency: Float64Array;
  /** By kind of history, see return-odds.ts; absent in tables of versions that did not know it. */
  odds?: Float64Array;
};

/** What no option changes, so that whoever tries options counts once. */
export type Returns = {
  /** Per local item: who met it, and who came back to it. */
  subjects: Int32Array;
  returned: Int32Array;
  /** See RepeatsTables; absent where nobody came back to anything. */
  odds?: Float64Array;
};

const defaultRepeatsOptions = { frequencyPower: 0.7, returningPower: 1 };

/** Contacts of one subject closer than this are one occasion. */
const occasionSeconds = 60;

/** As many subjects as the average share counts for. */
const priorSubjects = 10;

/** Of an item that is newer than the training. */
const unknownReturning = 1;

export const repeats: Algorithm<Interactions, RepeatsOptions, RepeatsTables> = {
  name: 'repeats',
  train(interactions, { returns = learnReturns(interactions), ...options }) {
    const { frequencyPower, returningPower } = { ...defaultRepeatsOptions, ...options };
    const { subjects, returned, odds } = returns;
    const frequency = Float64Array.of(frequencyPower);
    const all = sumOf(subjects);
    const average = sumOf(returned) / Math.max(1, all);
    if (average === 0)
      return { returning: new Float32Array(interactions.itemCount).fill(Math.sign(all)), frequency };
    return {
      frequency,
      odds,
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
  const counts = countReturns(interactions);
  return sumOf(counts.returned) === 0 ? counts : { ...counts, odds: learnReturnOdds(interactions) };
}

function sumOf(counts: Int32Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function countReturns({ itemCount, subjectCount, subjectOffsets, item, timeSeconds, weight }: Interactions) {
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

function createRepeatsModel(
  { returning, frequency: [power], odds }: RepeatsTables,
  mapping: IndexMapping,
): Model {
  /** The item on display is no past consumption. */
  const pastCount = (query: Query) => (query.hasContext ? query.seedCount - 1 : query.seedCount);
  const scoreOf = (query: Query, seed: number): number => {
    const local = mapping.localOf[query.seedItemIndex[seed]] ?? -1;
    const share = local < 0 ? unknownReturning : returning[local];
    return query.seedWeight[seed] * query.seedContacts[seed] ** power * share;
  };
  const oddsOf = (query: Query): number => {
    const items = pastCount(query);
    if (odds === undefined || items < 2) return 1;
    let contacts = 0;
    for (let seed = 0; seed < items; seed++) contacts += query.seedContacts[seed];
    return odds[returnCellOf({ items, contacts, newestContacts: query.seedContacts[0] })];
  };
  return {
    name: 'repeats',
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      const scale = weight * oddsOf(query);
      for (let seed = 0; seed < pastCount(query); seed++) {
        const itemIndex = query.seedItemIndex[seed];
        if (itemIndex < 0) continue;
        const index = sumIndexOf(mapping, itemIndex);
        /** It may be newer than the tables. */
        reserve(accumulator, index + 1);
        add(accumulator, index, scale * scoreOf(query, seed));
      }
    },
    explain(query, weight, itemIndex) {
      for (let seed = 0; seed < pastCount(query); seed++) {
        if (query.seedItemIndex[seed] !== itemIndex) continue;
        const seedLocal = query.seedLocal[seed];
        return [
          { seedItemIndex: itemIndex, seedLocal, score: weight * oddsOf(query) * scoreOf(query, seed) },
        ];
      }
      return [];
    },
  };
}
