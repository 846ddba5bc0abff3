/**
 * The parts of a training that make a table row by row, each row from the same input: they can be split into ranges of rows
 * that several threads make, and the table is the same to the byte however it was split.
 *
 * A plan is the whole input: a tree of typed arrays and numbers, so that it travels between threads.
 */

import type { Rows } from './arrays/rows.ts';

export type RowStage<Plan> = {
  /** Names the stage to other threads. */
  name: string;
  /** Rows `start` to `end`, the end excluded. Allocates its scratch memory, so a range should hold many rows. */
  rows(plan: Plan, start: number, end: number): Rows;
};

export type RunRows = <Plan extends object>(stage: RowStage<Plan>, plan: Plan, rowCount: number) => Rows;

/** In this thread, all at once. */
export const runRowsHere: RunRows = (stage, plan, rowCount) => stage.rows(plan, 0, rowCount);

/** One table from the tables of ranges that follow one another. */
export function joinRows(parts: readonly Rows[]): Rows {
  const entryCount = parts.reduce((sum, { items }) => sum + items.length, 0);
  const rowCount = parts.reduce((sum, { offsets }) => sum + offsets.length - 1, 0);
  const offsets = new Int32Array(rowCount + 1);
  const items = new Int32Array(entryCount);
  const scores = new Float32Array(entryCount);
  let row = 0;
  let used = 0;
  for (const part of parts) {
    items.set(part.items, used);
    scores.set(part.scores, used);
    for (let at = 1; at < part.offsets.length; at++) offsets[++row] = used + part.offsets[at];
    used += part.items.length;
  }
  return { offsets, items, scores };
}
