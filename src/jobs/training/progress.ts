/** Reports training progress: ordered stages and their typical share of the time. */

import { trainedEntries } from '../../ranking/models/registry.ts';

/** Rough shares: the progress may pause but never goes back. */
const shares: readonly (readonly [stage: string, share: number])[] = [
  ['items', 6],
  ['events', 12],
  ['settings', 22],
  ['held_out', 20],
  ['blend', 10],
  ['judging', 2],
  ...trainedEntries.map(([, { name, timeShare }]) => [name, timeShare] as const),
  ['publishing', 1],
];

const total = shares.reduce((sum, [, share]) => sum + share, 0);

export type ReportProgress = (stage: string, progress: number) => void;

export type Progress = {
  /** Starts a stage; unlisted ones, such as models in the learning stage, count to their parent. */
  enter(stage: string): void;
  /** Sets the progress of the current stage, 0 to 1. */
  advance(share: number): void;
};

export function createProgress(report: ReportProgress): Progress {
  let place = 0;
  let done = 0;
  let isLearning = false;
  const tell = (share: number) => report(shares[place][0], (done + share * shares[place][1]) / total);
  return {
    enter(name) {
      if (name === 'blend' || name === 'all_events') isLearning = false;
      const stage = isLearning ? 'held_out' : name;
      if (name === 'settings') isLearning = true;
      const next = shares.findIndex(([known]) => known === stage);
      if (next < place) return;
      for (; place < next; place++) done += shares[place][1];
      tell(0);
    },
    advance: tell,
  };
}
