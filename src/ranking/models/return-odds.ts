/** Learns the odds that a subject returns to a known item, by the kind of history. */

import { stepOf, sumOf } from './arrays/statistics.ts';
import type { Interactions } from './interactions.ts';

export type History = {
  /** Distinct items. */
  items: number;
  /** Contacts with all of them. */
  contacts: number;
  /** Contacts with the newest. */
  newestContacts: number;
};

/** Upper bounds of item counts that separate histories. */
const itemSteps = [2, 3, 5, 8, 15, 30];
/** Upper bounds of contacts per item. */
const rateSteps = [1, 1.25, 1.6, 2.5];
/** Whether the newest item was known before. */
const newestKinds = 2;

const cellCount = (itemSteps.length + 1) * (rateSteps.length + 1) * newestKinds;

/** Prior weight of the average odds, in events. */
const priorEvents = 50;
/** Limit of the odds, up and down. */
const greatestOdds = 8;

export function returnCellOf({ items, contacts, newestContacts }: History): number {
  const rate = stepOf(rateSteps, contacts / items);
  const newest = Number(newestContacts > 1);
  return (stepOf(itemSteps, items) * (rateSteps.length + 1) + rate) * newestKinds + newest;
}

/** Returns the odds by cell, relative to the average. Immediate repetitions do not count. */
export function learnReturnOdds(interactions: Interactions): Float64Array {
  const { asked, returned } = countReturnsByCell(interactions);
  const average = sumOf(returned) / Math.max(1, sumOf(asked));
  if (average === 0 || average === 1) return new Float64Array(cellCount).fill(1);
  return asked.map((count, cell) => {
    const again = returned[cell] + priorEvents * average;
    const odds = again / (count + priorEvents - again) / (average / (1 - average));
    return Math.min(greatestOdds, Math.max(1 / greatestOdds, odds));
  });
}

function countReturnsByCell({ itemCount, subjectCount, subjectOffsets, item, weight }: Interactions) {
  const asked = new Float64Array(cellCount);
  const returned = new Float64Array(cellCount);
  const met = new Int32Array(itemCount);
  for (let subject = 0; subject < subjectCount; subject++) {
    const [start, end] = [subjectOffsets[subject], subjectOffsets[subject + 1]];
    const history = { items: 0, contacts: 0, newestContacts: 0 };
    let newest = -1;
    for (let event = start; event < end; event++) {
      const one = item[event];
      if (weight[event] <= 0) continue;
      if (history.items > 1 && one !== newest) {
        const cell = returnCellOf(history);
        asked[cell] += 1;
        returned[cell] += Number(met[one] > 0);
      }
      newest = one;
      met[one] += 1;
      history.items += Number(met[one] === 1);
      history.contacts += 1;
      history.newestContacts = met[one];
    }
    for (let event = start; event < end; event++) met[item[event]] = 0;
  }
  return { asked, returned };
}
