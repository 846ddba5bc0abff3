/**
 * Stages of a training that build a table row by row from the same input. Threads can share the
 * rows; the table is identical byte for byte however they are split.
 *
 * A plan is the whole input: a tree of typed arrays and numbers, so that threads can exchange it.
 */

import type { Rows } from './arrays/rows.ts';

export type RowStage<Plan> = {
  /** Identifies the stage in other threads. */
  name: string;
  /** Computes rows `start` to `end` (exclusive). Allocates scratch memory, so use large ranges. */
  rows(plan: Plan, start: number, end: number): Rows;
};

export type RunRows = <Plan extends object>(stage: RowStage<Plan>, plan: Plan, rowCount: number) => Rows;

export const runRowsHere: RunRows = (stage, plan, rowCount) => stage.rows(plan, 0, rowCount);

/** Joins the tables of consecutive ranges. */
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
