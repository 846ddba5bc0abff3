/** How likely somebody goes back to anything they met, by what their history looks like: learnt from the log. */

import type { Interactions } from './interactions.ts';

export type History = {
  /** Different items that were met. */
  items: number;
  /** Of all of them together. */
  contacts: number;
  /** Of the newest of them. */
  newestContacts: number;
};

/** Histories are told apart by how many items they hold, up to each of these and beyond … */
const itemSteps = [2, 3, 5, 8, 15, 30];
/** … by contacts per item … */
const rateSteps = [1, 1.25, 1.6, 2.5];
/** … and by whether the newest was met before. */
const newestKinds = 2;

const cellCount = (itemSteps.length + 1) * (rateSteps.length + 1) * newestKinds;

/** As many events as the average odds count for. */
const priorEvents = 50;
/** No history says more than this, up or down. */
const greatestOdds = 8;

function stepOf(steps: readonly number[], value: number): number {
  const step = steps.findIndex((most) => value <= most);
  return step < 0 ? steps.length : step;
}

export function returnCellOf({ items, contacts, newestContacts }: History): number {
  const rate = stepOf(rateSteps, contacts / items);
  const newest = Number(newestContacts > 1);
  return (stepOf(itemSteps, items) * (rateSteps.length + 1) + rate) * newestKinds + newest;
}

/** Odds of a return by cell, beside the average ones. What follows itself is no return. */
export function learnReturnOdds(interactions: Interactions): Float64Array {
  const { asked, returned } = countReturnsByCell(interactions);
  const total = asked.reduce((sum, count) => sum + count, 0);
  const average = returned.reduce((sum, count) => sum + count, 0) / Math.max(1, total);
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
